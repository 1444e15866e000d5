"""Rows as columns."""

import json


def columns(rows):
    """The rows of a JSON list as a dict of lists, one for each key; None stands where a row lacks it."""
    rows = json.loads(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
