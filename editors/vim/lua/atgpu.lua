-- The language server in Neovim, from version 0.8 on.
local M = {}

--- Settings of the server: machine, values, hints, explain.
M.settings = {}

--- Starts the server for a buffer, or gives it to the one that runs.
function M.start(buffer)
  if not vim.lsp.start then
    return
  end
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  vim.lsp.start({
    name = "atgpu",
    cmd = { "atgpu", "lsp" },
    root_dir = folder,
    init_options = M.settings,
  }, { bufnr = buffer })
end

return M
