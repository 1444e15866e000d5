-- In Neovim with the plugin of editors/vim: what requests of sample.atgpu say and do, and how long
-- other programs take. `nvim -n --headless --clean --cmd "set rtp^=editors/vim" sample.atgpu OTHERS…
-- -c "luafile neovim.lua"` writes a line a fact on standard output.
local function say(key, value)
  -- Messages of the editor end no line.
  io.stdout:write("\n", key, "\t", (tostring(value):gsub("\n", "\\n")), "\n")
end

local function done()
  vim.cmd("qa!")
end

if vim.fn.has("nvim-0.10") == 0 then
  say("skipped", "this Neovim is older than 0.10")
  return done()
end

local function wait(what, is)
  if not vim.wait(120000, is, 1) then
    say("failed", "no " .. what)
    vim.cmd("cquit")
  end
end

local function main()
  vim.lsp.inlay_hint.enable()

  local function ask(method, params)
    local answers = vim.lsp.buf_request_sync(0, method, params, 60000) or {}
    for _, answer in pairs(answers) do
      return answer.result
    end
  end

  local function at(line, character)
    return {
      textDocument = vim.lsp.util.make_text_document_params(),
      position = { line = line, character = character },
    }
  end

  wait("refuted claim", function()
    return vim.iter(vim.diagnostic.get(0)):any(function(found)
      return found.code == "claim::refuted"
    end)
  end)
  wait("hints", function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end)
  say("hints", #vim.lsp.inlay_hint.get({ bufnr = 0 }))
  say("hover", vim.inspect(ask("textDocument/hover", at(11, 7)).contents.value))
  for _, lens in ipairs(ask("textDocument/codeLens", at(0, 0))) do
    say("lens", lens.range.start.line .. " " .. lens.command.title)
  end

  -- Typing `\lef` and taking what is offered first.
  vim.api.nvim_buf_set_lines(0, 12, 13, false, { "      _x[j] \\Lef 2·_x[j]" })
  wait("the change", function()
    return #vim.diagnostic.get(0, { lnum = 12 }) > 0
  end)
  local offered = ask("textDocument/completion", at(12, 16))
  local edit = (offered.items or offered)[1]
  vim.lsp.util.apply_text_edits({ edit.textEdit }, vim.api.nvim_get_current_buf(), "utf-16")
  say("completed", vim.api.nvim_buf_get_lines(0, 12, 13, false)[1])
  vim.api.nvim_buf_set_lines(0, 12, 13, false, { "      _x[j] ← 2·_x[j]" })

  -- The fix of the claim, then a new name, then the layout.
  wait("refuted claim again", function()
    return #vim.diagnostic.get(0, { lnum = 7 }) > 0
  end)
  vim.api.nvim_win_set_cursor(0, { 8, 4 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == "write `io = 2k`"
    end,
  })
  wait("the mended claim", function()
    return vim.api.nvim_buf_get_lines(0, 7, 8, false)[1] == "  claim io = 2k"
  end)
  say("mended", vim.api.nvim_buf_get_lines(0, 7, 8, false)[1])
  vim.api.nvim_win_set_cursor(0, { 6, 9 })
  vim.lsp.buf.rename("_row")
  wait("the new name", function()
    return vim.api.nvim_buf_get_lines(0, 5, 6, false)[1] == "  shared _row[b]"
  end)
  say("renamed", table.concat(vim.api.nvim_buf_get_lines(0, 11, 14, false), "\n"))
  vim.api.nvim_buf_set_lines(0, 2, 3, false, { "input   A[n]" })
  vim.lsp.buf.format({ timeout_ms = 60000 })
  say("formatted", vim.api.nvim_buf_get_lines(0, 2, 3, false)[1])
  wait("no findings", function()
    return #vim.diagnostic.get(0) == 0
  end)

  -- From opening to the first diagnostics, to what is derived and proved, and from a keystroke to them.
  local heard = {}
  vim.lsp.handlers["textDocument/publishDiagnostics"] = (function(usual)
    return function(err, result, context)
      heard[result.uri] = (heard[result.uri] or 0) + 1
      return usual(err, result, context)
    end
  end)(vim.lsp.handlers["textDocument/publishDiagnostics"])
  local files = vim.fn.argv()
  for i = 2, #files do
    local uri = vim.uri_from_fname(vim.fn.fnamemodify(files[i], ":p"))
    local function until_heard(times)
      local start = vim.uv.hrtime()
      wait("diagnostics of " .. uri, function()
        return (heard[uri] or 0) >= times
      end)
      return (vim.uv.hrtime() - start) / 1e6
    end
    local start = vim.uv.hrtime()
    vim.cmd("silent! edit! " .. vim.fn.fnameescape(files[i]))
    until_heard(1)
    say("opened", (vim.uv.hrtime() - start) / 1e6)
    until_heard(3)
    say("derived", (vim.uv.hrtime() - start) / 1e6)
    local before = heard[uri]
    start = vim.uv.hrtime()
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { "▷" })
    until_heard(before + 1)
    say("typed", (vim.uv.hrtime() - start) / 1e6)
    vim.cmd("silent! bdelete!")
  end
end

local went, fault = xpcall(main, debug.traceback)
if not went then
  say("failed", fault)
  vim.cmd("cquit")
end
say("end", "")
done()
