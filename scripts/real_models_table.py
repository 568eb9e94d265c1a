"""The table and the summary of scripts/real-models."""

import collections

# Of a file's wrong tensors and reasons, as many are printed.
LISTED = 5
STATUSES = ("measured", "movement", "free", "unsupported")


class Row:
    """What is known of one file; what is not is None."""

    def __init__(self, name):
        self.name = name
        self.problem = None
        self.layers = None
        self.weights = None
        self.shapes = None
        self.measured = None

    def is_bad(self):
        return bool(self.shapes and self.shapes.wrong or self.measured and self.measured.undercut())

    def count(self, status):
        return sum(layer["cost"] == status for layer in self.layers)

    def reasons(self):
        counts = collections.Counter(f"{layer['op']}: {layer['reason']}" for layer in self.layers or []
                                     if layer["cost"] == "unsupported")
        return [f"unsupported: {text} ({count})" for text, count in counts.most_common()]

    def remarks(self):
        if self.problem:
            yield self.problem
        if self.shapes:
            yield from shortened([f"wrong: {text}" for text in self.shapes.wrong])
            if self.shapes.why:
                yield f"{self.shapes.how}: {self.shapes.why}"
        yield from shortened(self.reasons())
        if self.measured:
            yield from self.measured.remarks


def shortened(texts):
    more = len(texts) - LISTED
    return texts[:LISTED] + ([f"... and {more} more like these"] if more > 0 else [])


def columns(with_times):
    """{heading: text of a row}; what a row does not have is '-'."""
    def of_layers(status):
        return lambda row: str(row.count(status)) if row.layers is not None else None

    def of_shapes(text):
        return lambda row: text(row.shapes) if row.shapes else None

    def of_times(text):
        return lambda row: text(row.measured) if row.measured else None

    def milliseconds(value):
        return None if value is None else f"{1e3 * value:.3f}"

    found = {"model": lambda row: row.name}
    found |= {status: of_layers(status) for status in STATUSES}
    found |= {"weights MB": lambda row: f"{row.weights.everything / 1e6:.3f}" if row.weights else None,
              "left out %": lambda row: f"{row.weights.percent():.1f}" if row.weights else None,
              "compared": of_shapes(lambda shapes: str(shapes.compared)),
              "wrong": of_shapes(lambda shapes: str(len(shapes.wrong))),
              "unknown": of_shapes(lambda shapes: str(shapes.unknown)),
              "by": of_shapes(lambda shapes: shapes.how)}
    if with_times:
        found |= {"floor ms": of_times(lambda times: milliseconds(times.floor)),
                  "fused ms": of_times(lambda times: milliseconds(times.fused)),
                  "LBL ms": of_times(lambda times: milliseconds(times.sequential)),
                  "ORT ms": of_times(lambda times: milliseconds(times.latency)),
                  "flags": of_times(lambda times: ", ".join(times.flags()))}
    return found


def report(rows, with_times, markdown):
    table = columns(with_times)
    lines = [list(table)] + [[text(row) or "-" for text in table.values()] for row in rows]
    if markdown:
        lines.insert(1, ["---"] + ["--:"] * (len(table) - 1))
        text = ["| " + " | ".join(line) + " |" for line in lines]
        remark = "- `{}`: {}"
    else:
        widths = [max(map(len, column)) for column in zip(*lines)]
        text = ["  ".join(cell.ljust(width) if place == 0 else cell.rjust(width)
                          for place, (cell, width) in enumerate(zip(line, widths))).rstrip()
                for line in lines]
        remark = "{}: {}"
    remarks = [remark.format(row.name, text) for row in rows for text in row.remarks()]
    return "\n\n".join(["\n".join(text)] + (["\n".join(remarks)] if remarks else [])) + "\n"


def summary(rows):
    shapes = [row.shapes for row in rows if row.shapes]
    counts = [(len(rows), "files" if len(rows) != 1 else "file"),
              (sum(row.problem is not None for row in rows), "refused"),
              (sum(row.compared for row in shapes), "tensors compared"),
              (sum(len(row.wrong) for row in shapes), "wrong"),
              (sum(bool(row.reasons()) for row in rows), "files with unsupported layers")]
    if any(row.measured for row in rows):
        counts.append((sum(bool(row.measured and row.measured.undercut()) for row in rows),
                       "files with an undercut bound"))
    return ", ".join(f"{count:,} {noun}" for count, noun in counts)
