;;; atgpu-mode.el --- ATGPU pseudocode, with its language server  -*- lexical-binding: t; coding: utf-8 -*-

;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours and comments of `.atgpu' files.  With eglot (part of Emacs from version 29 on) the
;; language server `atgpu lsp' tells faults, costs and completions:
;;
;;   (add-hook 'atgpu-mode-hook #'eglot-ensure)

;;; Code:

;; Made by tests/suite/editors from the language's grammar; do not edit.
(defconst atgpu-keywords
  '("algorithm" "require" "ensure" "input" "output" "host" "global" "shared" "as" "let" "claim"
    "kernel" "end" "for" "if" "while" "all" "in" "parallel" "do" "downto" "until" "at" "most"
    "then" "else" "execute" "swap" "atomic" "to")
  "Words that lines begin with or are held together by.")
(defconst atgpu-operators
  '("and" "divides" "div" "exists" "forall" "implies" "is" "log" "mod" "not" "or" "sum")
  "Operators that are words.")
(defconst atgpu-functions
  '("min" "max" "abs" "select" "sqrt" "exp" "ln" "sin" "cos" "bitand" "bitor" "bitxor" "shl"
    "shr" "gcd" "digit_sum" "floor_sum" "ceil" "floor")
  "Functions.")
(defconst atgpu-types
  '("int" "float")
  "Types of words of memory.")
(defconst atgpu-properties
  '("sorted" "permutation" "list")
  "Properties of inputs.")
(defconst atgpu-quantities
  '("rounds" "time" "total_time" "io" "inward" "outward" "transfer" "transactions"
    "transfer_cost" "shared" "global" "bank_conflicts" "cost" "gpu_cost")
  "What claims speak of.")
;; End of what is made.

(defvar atgpu-font-lock-keywords
  `(("^\\s-*\\([0-9]+\\)\\s-*:" 1 font-lock-constant-face)
    ("\\_<\\(?:algorithm\\|kernel\\|execute\\)\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)"
     1 font-lock-function-name-face)
    (,(concat "\\_<claim\\s-+" (regexp-opt atgpu-quantities 'symbols)) 1 font-lock-constant-face)
    (,(regexp-opt atgpu-types 'symbols) . font-lock-type-face)
    (,(concat "\\_<as\\s-+" (regexp-opt atgpu-properties 'symbols)) 1 font-lock-type-face)
    (,(regexp-opt (append atgpu-keywords atgpu-operators) 'symbols) . font-lock-keyword-face)
    (,(concat (regexp-opt atgpu-functions 'symbols) "\\s-*(") 1 font-lock-builtin-face)
    ("⇚\\|⇐\\|←\\|↔\\|<==\\|<->\\|<=\\|<-" . font-lock-keyword-face)
    ("\\_<_\\(?:\\sw\\|\\s_\\)+" . font-lock-variable-name-face))
  "Colours of `atgpu-mode', for `font-lock-keywords'.")

(defvar atgpu-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?▷ "<" table)
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?' "_" table)
    (modify-syntax-entry ?′ "_" table)
    (modify-syntax-entry ?⌈ "(⌉" table)
    (modify-syntax-entry ?⌉ ")⌈" table)
    (modify-syntax-entry ?⌊ "(⌋" table)
    (modify-syntax-entry ?⌋ ")⌊" table)
    table)
  "Syntax of `atgpu-mode'.")

;;;###autoload
(define-derived-mode atgpu-mode prog-mode "ATGPU"
  "Major mode for ATGPU pseudocode."
  (setq-local comment-start "▷ ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?:▷\\|//+\\)\\s-*")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 2)
  (setq-local indent-line-function #'indent-relative)
  (setq-local imenu-generic-expression
              '((nil "^\\s-*\\(?:algorithm\\|kernel\\)\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1)))
  (setq-local font-lock-defaults '(atgpu-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.atgpu\\'" . atgpu-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(atgpu-mode . ("atgpu" "lsp"))))

(provide 'atgpu-mode)
;;; atgpu-mode.el ends here
