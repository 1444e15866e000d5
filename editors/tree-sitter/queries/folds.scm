[
  (kernel)
  (loop)
  (while)
  (if)
] @fold
