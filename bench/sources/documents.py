"""Documents with as many citations as their size holds, one for each way to cite. `run --documents` measures them."""

URL = "https://a.example/"


def repeat(piece, size, head, tail):
    """A document of about `size` characters. `piece` may depend on a counter; `tail` on the number of pieces, as long as they."""
    make = piece if callable(piece) else lambda _: piece
    length = size // 2 if callable(tail) else size - len(head) - len(tail)
    parts = [head]
    while length > 0:
        parts.append(make(len(parts) - 1))
        length -= len(parts[-1])
    return "".join(parts) + (tail(len(parts) - 1) if callable(tail) else tail)


LIST = "\n\n## References\n\n" + "".join(f"[{n}] A. Author. Title of entry {n}. {URL}{n}\n\n" for n in range(1, 4))


def entries(count):
    return "## References\n\n" + "".join(f"{n + 1}. Title {n}. {URL}{n}\n" for n in range(count))


def listed(count):
    return '", "sources": [' + ", ".join(f'"{URL}{n}"' for n in range(count)) + "]}"


# name, file name, piece, head, tail
FORMS = [
    ("the same mark in one paragraph: `see [1]. `", "marks.md", "see [1]. ", "", LIST),
    ("marks in a row: `[1][2][3]`", "rows.md", "Trees cool streets by 3 degrees [1][2][3]. ", "", LIST),
    ("nothing but marks: `[1][2][3]`", "only-marks.md", "[1][2][3]", "", LIST),
    ("`<sup>1</sup>`", "sup.md", "Trees cool streets<sup>1</sup>. ", "", LIST),
    ("superscript digits: `streets¹`", "superscript.md", "Trees cool streets¹. ", "", LIST),
    ("footnotes, all to one note", "footnotes.md", "Trees cool streets.[^1] ", "", f"\n\n[^1]: {URL}1\n"),
    ("footnotes, each to its own note", "notes.md", lambda n: f"Trees cool {n} streets.[^{n}]\n\n[^{n}]: {URL}{n}\n\n", "", ""),
    ("arXiv ids", "arxiv.md", lambda n: f"See arXiv:{2001 + n // 99999}.{n % 99999:05}. ", "", ""),
    ("PMID ids", "pmid.md", lambda n: f"See PMID: {1000000 + n}. ", "", ""),
    ("DOIs", "doi.md", lambda n: f"See doi:10.1000/{n}. ", "", ""),
    ("bare URLs", "bare.md", lambda n: f"See {URL}{n}. ", "", ""),
    ("links in one paragraph", "links.md", lambda n: f"Trees cool [{n} streets]({URL}{n}). ", "", ""),
    ("links in one sentence", "sentence.md", lambda n: f"[{n}]({URL}{n}) and ", "", "the end."),
    ("reference links to one definition", "defined.md", "Trees cool [streets][a]. ", "", f"\n\n[a]: {URL}a\n"),
    ("a table", "table.md", lambda n: f"| street {n} | {n} trees | [source]({URL}{n}) |\n", "| where | what | source |\n|---|---|---|\n", ""),
    ("lists in lists", "nested.md", lambda n: f"{'  ' * (n % 12)}- Street {n} has trees ({URL}{n})\n", "", ""),
    ("a list of sources", "sources.md", lambda n: f"{n + 1}. Author, A. (2020). Title {n}. {URL}{n}\n", "## References\n\n", ""),
    ("a list of sources, all cited", "cited.md", lambda n: f"Street {n} has {n} trees [{n + 1}].\n\n", "", entries),
    ("marks without an entry", "lost.md", "Trees cool streets[7][8]", "", LIST),
    ("definitions that nothing uses", "unused.md", lambda n: f"[name{n}]: {URL}{n}\n", "Trees cool streets.\n\n", ""),
    ("an entry with many URLs", "entry.md", lambda n: f"{URL}{n} ", "## References\n\n1. Title. ", "\n"),
    ("one line of words with links", "long.md", lambda n: f"the street {n} ({URL}{n}), ", "", "ends."),
    ("HTML links in one block", "links.html", lambda n: f'Trees cool <a href="{URL}{n}">{n} streets</a>. ', "<p>", "</p>"),
    ("HTML links in Markdown", "html.md", lambda n: f'Trees cool <a href="{URL}{n}">{n} streets</a>. ', "<div>", "</div>"),
    ("HTML `<sup>` marks", "sup.html", "Trees cool streets<sup>1</sup>. ", "<p>", f"</p><h2>References</h2><ol><li>Title {URL}1</li></ol>"),
    ("reStructuredText links", "links.rst", lambda n: f"Trees cool `{n} streets <{URL}{n}>`_. ", "", "\n"),
    ("reStructuredText footnotes", "notes.rst", "Trees cool streets [1]_. ", "", f"\n\n.. [1] {URL}1\n"),
    ("LaTeX links", "links.tex", lambda n: f"Trees cool \\href{{{URL}{n}}}{{{n} streets}}. ", "", "\n"),
    ("LaTeX citations", "cite.tex", "Trees cool streets \\cite{a}. ", "", f"\n\\begin{{thebibliography}}{{9}}\n\\bibitem{{a}} Title \\url{{{URL}a}}\n\\end{{thebibliography}}\n"),
    ("BibTeX entries", "list.bib", lambda n: f"@misc{{k{n}, title={{Title {n}}}, url={{{URL}{n}}}}}\n", "", ""),
    ("JSONL records", "records.jsonl", lambda n: f'{{"text": "Trees cool {n} streets ({URL}{n})."}}\n', "", ""),
    ("a JSON answer with its sources", "answer.json", lambda n: f"Street {n} has {n} trees [{n + 1}]. ", '{"text": "', listed),
    ("plain text", "plain.txt", lambda n: f"Trees cool {n} streets ({URL}{n}). ", "", "\n"),
]


def documents(size):
    """(what, file name, text) of every form, each of about `size` characters."""
    for what, name, piece, head, tail in FORMS:
        yield what, name, repeat(piece, size, head, tail)
