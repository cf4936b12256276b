-- tilescope for nvim-dap (https://github.com/mfussenegger/nvim-dap): dofile() this file from your init.lua.
local dap = require("dap")

dap.adapters.tilescope = { type = "executable", command = "tilescope", args = { "dap" } }

local kernel = {
  name = "tilescope: the kernel in this file",
  type = "tilescope",
  request = "launch",
  program = "${file}",
  case = function() return vim.fn.input("case: ") end, -- n=4097 BLOCK=256; nothing: what the file says
}
for _, filetype in ipairs({ "c", "cpp", "cuda", "python" }) do
  dap.configurations[filetype] = dap.configurations[filetype] or {}
  table.insert(dap.configurations[filetype], kernel)
end
