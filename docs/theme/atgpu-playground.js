// A link behind every program of the book that opens it in the playground, which stands beside the book
// as playground/. The program travels in the link's fragment: nothing is sent anywhere.
(function () {
  if (typeof CompressionStream === "undefined") return;
  const root = typeof path_to_root === "string" ? path_to_root : "";

  async function packed(text) {
    const bytes = new TextEncoder().encode(JSON.stringify({ text: text }));
    const small = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    let plain = "";
    for (const byte of new Uint8Array(await new Response(small).arrayBuffer())) plain += String.fromCharCode(byte);
    return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  function behind(node, href) {
    const link = document.createElement("a");
    link.textContent = "open in the playground";
    link.className = "atgpu-playground";
    link.href = root + "playground/index.html" + href;
    node.after(link);
  }

  // A link in a lesson names what the page opens, since only the book has the page beside it.
  document.querySelectorAll("a[data-play]").forEach(function (link) {
    link.href = root + "playground/index.html?" + link.dataset.play;
  });

  // The pictures of the cookbook bear the names of their programs; the code beside them has no second link.
  document.querySelectorAll("img[src*='figures/cookbook/']").forEach(function (picture) {
    const name = picture.getAttribute("src").split("/").pop().replace(/\.svg$/, "");
    behind(picture, "?example=" + encodeURIComponent(name));
  });

  document.querySelectorAll("code.language-atgpu").forEach(async function (block) {
    const text = block.textContent;
    // A part of a program opens nothing.
    if (!/^\s*algorithm\s/m.test(text) || block.closest(".recipe")) return;
    behind(block.closest("pre"), "#p=" + (await packed(text)));
  });
})();
