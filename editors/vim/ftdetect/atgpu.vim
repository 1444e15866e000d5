autocmd BufRead,BufNewFile *.atgpu setfiletype atgpu
