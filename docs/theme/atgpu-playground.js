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
    link.style.cssText = "display: block; text-align: right; font-size: 0.8em; margin: -0.6em 0 1em";
    link.href = root + "playground/index.html" + href;
    node.after(link);
  }

  // The pictures of the cookbook bear the names of their programs.
  document.querySelectorAll("img[src*='figures/cookbook/']").forEach(function (picture) {
    const name = picture.getAttribute("src").split("/").pop().replace(/\.svg$/, "");
    behind(picture.closest("p") || picture, "?example=" + encodeURIComponent(name));
  });

  document.querySelectorAll("code.language-atgpu").forEach(async function (block) {
    const text = block.textContent;
    // A part of a program opens nothing.
    if (!/^\s*algorithm\s/m.test(text)) return;
    behind(block.closest("pre"), "#p=" + (await packed(text)));
  });
})();
