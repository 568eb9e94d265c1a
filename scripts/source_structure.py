"""The structure of C++ sources, read from their text as clang-format leaves it."""
import collections
import re

# Parts whose folders must not include each other.
PARTS = ("analysis", "models", "record", "suites/harness", "suites/nvidia", "suites/onednn")
LONGEST_FUNCTION = 60


def is_test(path):
    return "tests" in path.split("/")


def included_folders(texts):
    """{(folder, other folder): [a file of folder that includes one of the other]} of {path: text}."""
    edges = collections.defaultdict(list)
    for path, text in texts.items():
        folder = path.rpartition("/")[0]
        for other in re.findall(r'^#include "([^"]+)/[^"/]+"', text, re.MULTILINE):
            if other != folder:
                edges[folder, other].append(path)
    return edges


def circles(texts):
    """Pairs of folders that include each other."""
    edges = included_folders(texts)
    return [f"{a} <-> {b}: {edges[a, b][0]}, {edges[b, a][0]}"
            for a, b in sorted(edges) if a < b and (b, a) in edges]


def functions(text):
    """(first line, number of lines) of functions, outside of types or members of them. They begin at the left,
    or two blanks from it, and end with a brace below their beginning. Raw strings hold none."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: "\n" * raw[0].count("\n"), text, flags=re.DOTALL)
    lines = text.split("\n")
    in_type = False
    for end, line in enumerate(lines):
        if re.match(r"(template.*)?(struct|class|union)\b.*\{$", line):
            in_type = True
        if line.startswith("};"):
            in_type = False
        if line != "}" and not (in_type and line == "  }"):
            continue
        indent = line[:-1]
        begin = next((i for i in range(end - 1, -1, -1) if re.match(indent + r"[\w~\[]", lines[i])), end)
        if not re.match(r"namespace\b", lines[begin]):
            yield begin + 1, end - begin + 1


def long_functions(texts):
    """{path:line: lines} of {path: text}."""
    return {f"{path}:{line}": count for path, text in texts.items() for line, count in functions(text)
            if count > LONGEST_FUNCTION}


def hidden_types(text):
    """(namespace, name, what it is) of types that only this file has: those of nameless namespaces."""
    named = nameless = ""
    for line in text.split("\n"):
        if found := re.match(r"namespace ([\w:]+) \{", line):
            named = found[1]
        elif line in ("namespace {", "}  // namespace"):
            nameless = line == "namespace {"
        elif nameless and (found := re.match(r"(?:struct|class|enum class) (\w+)[^;]*$", line)):
            yield named, found[1], "a type"
        elif nameless and (found := re.match(r"using (\w+) = (.*)", line)):
            yield named, found[1], found[2]


def repeated_types(texts):
    """"namespace::name: path, path" of hidden types of several files: compiled as one (CMake's unity builds group
    files anew when one is added), these are an error. Another name of the same type may be said twice."""
    files = collections.defaultdict(list)
    for path, text in texts.items():
        for named, name, kind in set(hidden_types(text)):
            files[named, name].append((path, kind))
    return [f"{named}::{name}: {', '.join(path for path, _ in found)}"
            for (named, name), found in sorted(files.items())
            if len(found) > 1 and (found[0][1] == "a type" or len({kind for _, kind in found}) > 1)]
