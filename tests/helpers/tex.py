"""A table for LaTeX as a reader of the paper sees it: typeset by pdflatex with the packages that its comment names."""

import re
import shutil
import subprocess

import pytest

__all__ = ["needs_tex", "typeset"]

PROGRAMS = ("pdflatex", "kpsewhich", "pdftotext")


def lacking():
    """Names a program or package that is not installed, or None."""
    for name in PROGRAMS:
        if shutil.which(name) is None:
            return name
    for name in ("siunitx.sty", "booktabs.sty"):
        if subprocess.run(["kpsewhich", name], capture_output=True, check=False).returncode != 0:
            return name
    return None


LACKING = lacking()
needs_tex = pytest.mark.skipif(
    LACKING is not None,
    reason=f"{LACKING} is not installed (Debian: texlive-latex-recommended, texlive-science, poppler-utils)",
)

DOCUMENT = r"""\documentclass{article}
\usepackage[paperwidth=60cm,paperheight=20cm,margin=1cm]{geometry}
%(packages)s
\input{glyphtounicode}
\pdfgentounicode=1
\pagestyle{empty}
\begin{document}
\noindent\input{table.tex}
\end{document}
"""


def typeset(text, folder):
    """The rows of a table for LaTeX as lists of the texts of their cells, from the page that TeX has set.

    The packages are those of the comment "needs" in the first line, and no others.
    """
    packages = re.match(r"% needs (\\usepackage\{[a-z, ]+\})", text)[1]
    (folder / "table.tex").write_text(text, encoding="utf-8")
    (folder / "paper.tex").write_text(DOCUMENT % {"packages": packages}, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout
    complaints = ("LaTeX Warning", "Package siunitx", "Overfull", "Missing character")
    assert [line for line in done.stdout.splitlines() if line.startswith(complaints)] == []
    command = ["pdftotext", "-layout", "paper.pdf", "-"]
    page = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return [re.split(r" {2,}", line.strip()) for line in page.splitlines() if line.strip()]
