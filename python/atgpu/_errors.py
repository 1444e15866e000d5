"""The exception for every fault that the library finds."""


class Error(Exception):
    """A fault of a program, of its data, or of a machine.

    ``code``, ``message``, ``help``, ``line`` and ``column`` are those of the first error; ``findings`` has all.
    """

    def __init__(self, summary, findings):
        super().__init__(summary, findings)
        self.summary = summary
        self.findings = findings
        errors = [each for each in findings if each.severity == "error"] or findings
        first = errors[0] if errors else None
        self.code = first and first.code
        self.message = first.message if first else summary
        self.help = first and first.help
        self.line = first and first.line
        self.column = first and first.column

    def __str__(self):
        return self.summary

    def render(self):
        """All findings as the command draws them."""
        return "\n".join(each.render() for each in self.findings)
