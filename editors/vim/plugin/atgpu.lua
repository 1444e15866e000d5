-- `atgpu lsp` for programs and for the `atgpu.toml` beside them.
vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("atgpu", {}),
  pattern = { "atgpu", "toml" },
  callback = function(event)
    local name = vim.fn.fnamemodify(event.file, ":t")
    if event.match == "atgpu" or name == "atgpu.toml" then
      require("atgpu").start(event.buf)
    end
  end,
})
