"""What each dialect accepts and refuses, and where errors point."""

from __future__ import annotations

import pytest

from maskwright.errors import ConstraintError, LimitError, PatternError, PolicyError
from maskwright.limits import Limits
from maskwright.regex.parse import parse

DIALECTS = ("ecma", "ecma-unicode", "ecma-legacy", "python", "rust")

# pattern -> the dialects that accept it; from ECMA-262 22.2 and Annex B, `re`, and the documentation of Rust's regex.
ACCEPTED = {
    r"a|b": "ecma ecma-unicode ecma-legacy python rust",
    r"(a|)": "ecma ecma-unicode ecma-legacy python rust",
    r"(?:a*?)+?": "ecma ecma-unicode ecma-legacy python rust",
    r"\!": "ecma ecma-legacy python rust",
    r"\-": "ecma ecma-legacy python rust",
    r"[\-]": "ecma ecma-unicode ecma-legacy python rust",
    r"\/": "ecma ecma-unicode ecma-legacy python rust",
    r"\_": "ecma ecma-legacy python rust",
    r"\a": "ecma-legacy python rust",
    r"\e": "ecma-legacy",
    r"\<": "ecma ecma-legacy python",
    r"\A": "ecma-legacy python rust",
    r"\Z": "ecma-legacy python",
    r"\z": "ecma-legacy rust",
    r"\b\B": "ecma ecma-unicode ecma-legacy python rust",
    r"[\b]": "ecma ecma-unicode ecma-legacy python",
    r"[\B]": "ecma-legacy",
    r"\cA": "ecma ecma-unicode ecma-legacy",
    r"\0": "ecma ecma-unicode ecma-legacy python",
    r"\012": "ecma-legacy python",
    r"\x41": "ecma ecma-unicode ecma-legacy python rust",
    r"\x{41}": "ecma-legacy rust",
    r"\x4": "ecma-legacy",
    r"\u0041": "ecma ecma-unicode ecma-legacy python rust",
    r"\u{1F600}": "ecma ecma-unicode ecma-legacy rust",
    r"\U0001F600": "ecma-legacy python rust",
    r"\N{BULLET}": "ecma-legacy python",
    r"\p{Lu}": "ecma ecma-unicode ecma-legacy rust",
    r"\p{Uppercase_Letter}": "ecma ecma-unicode ecma-legacy rust",
    r"\p{gc=Lu}": "ecma ecma-unicode ecma-legacy rust",
    r"\p{uppercaseletter}": "ecma-legacy rust",
    r"\pL": "ecma-legacy rust",
    r"(?<name>a)": "ecma ecma-unicode ecma-legacy rust",
    r"(?P<name>a)": "python rust",
    r"(?i)a": "python rust",
    r"(?i:a)": "python rust",
    r"(?-i:a)": "python rust",
    r"a(?i)b": "rust",
    r"(?U)a+": "rust",
    r"(?a)\w": "python",
    r"(?#comment)a": "python",
    r"(?=a)": "ecma ecma-unicode ecma-legacy python",
    r"(?<!a)": "ecma ecma-unicode ecma-legacy python",
    r"(?<=ab|[cd]{2})": "ecma ecma-unicode ecma-legacy python",
    r"(?<=ab|c*)": "ecma ecma-unicode ecma-legacy",
    r"(?=a)*": "ecma-legacy python",
    r"(?<=a)*": "python",
    r"^*": "rust",
    r"(?:^)*": "ecma ecma-unicode ecma-legacy python rust",
    r"{": "ecma ecma-legacy python",
    r"a{b}": "ecma ecma-legacy python",
    r"a}": "ecma ecma-legacy python rust",
    r"a]": "ecma ecma-legacy python rust",
    r"a{,3}": "ecma-legacy python",
    r"a{2}{3}": "rust",
    r"a**": "rust",
    r"[]": "ecma ecma-unicode ecma-legacy",
    r"[^]": "ecma ecma-unicode ecma-legacy",
    r"[]a]": "ecma ecma-legacy python rust",
    r"[\w-x]": "ecma ecma-legacy",
    r"[[:alpha:]]": "ecma ecma-legacy python rust",
    r"[a&&b]": "ecma ecma-unicode ecma-legacy python",
    r"[[a]]": "ecma ecma-legacy python",
}


@pytest.mark.parametrize("pattern", ACCEPTED)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_accept_what_their_specification_accepts(pattern: str, dialect: str) -> None:
    """A construct is read in the dialects that have it, and a PatternError in all others."""
    if dialect in ACCEPTED[pattern].split():
        parse(pattern, dialect=dialect)
    else:
        with pytest.raises(PatternError):
            parse(pattern, dialect=dialect)


# (dialect, pattern, what the carets stand under, a word of the reason)
FAULTS = [
    ("ecma", "(", "(", "not closed"),
    ("ecma", "ab(cd", "(", "not closed"),
    ("ecma", "[a-", "[", "not closed"),
    ("ecma", "*a", "*", "nothing to repeat"),
    ("ecma", "a|+", "+", "nothing to repeat"),
    ("ecma", "(?:{2})", "{2}", "nothing to repeat"),
    ("ecma", "a{3,1}", "{3,1}", "above its greatest"),
    ("ecma", "a{,3}", "{,3}", "least number"),
    ("ecma", "a**", "*", "repeats a quantifier"),
    ("ecma", "(?P<n>a", "(?P<", "(?<name>...)"),
    ("python", "(?<n>a)", "(?<", "(?P<name>...)"),
    ("ecma", "a\\", "\\", "ends in a backslash"),
    ("ecma", "abc[0z-a]d", "z-a", "ends before it begins"),
    ("ecma", "a)b", ")", "closes nothing"),
    ("ecma", r"ab\q", r"\q", "means nothing"),
    ("ecma", r"x\u12", r"\u12", "4 hexadecimal digits"),
    ("ecma", r"\u{110000}", r"\u{110000}", "no character"),
    ("ecma", r"x\p{Greek}", r"\p{Greek}", "no Unicode property"),
    ("ecma", r"x\p{Script=Grec}", r"\p{Script=Grec}", "no Unicode property"),
    ("ecma", r"(a)\1", r"\1", "back reference"),
    ("ecma", r"(?<n>a)\k<n>", r"\k<n>", "back reference"),
    ("python", r"(?P<n>a)(?P=n)", "(?P=", "back reference"),
    ("ecma", "(?<n>a)|(?<n>b)", "n", "two groups"),
    ("ecma", r"\012", r"\01", "octal"),
    ("ecma", "(?>a)", "(?>", "atomic"),
    ("python", "(?>a)", "(?>", "atomic"),
    ("python", "a*+", "*+", "possessive"),
    ("python", "(a)?(?(1)b|c)", "(?(", "conditional"),
    ("ecma", "(?R)", "(?R", "recursion"),
    ("ecma", "(?i)a", "(?i", "inline flags"),
    ("python", "x(?<=a*)", "(?<=a*)", "more than one length"),
    ("python", "(?<=ab|c)", "(?<=ab|c)", "more than one length"),
    ("python", "a(?i)", "(?i)", "at its beginning"),
    ("rust", "(?=a)", "(?=", "no lookahead"),
    ("rust", "x(?-u)", "(?-u)", "bytes"),
    ("rust", "[a&&b]", "&&", "set operations"),
    ("rust", "[a[b]]", "[", "sets within sets"),
    ("ecma", "^(?<=x)*$", "*", "nothing to repeat"),
    ("ecma", "^*", "*", "an anchor is no text"),
]


@pytest.mark.parametrize(("dialect", "pattern", "under", "reason"), FAULTS)
def test_errors_point_at_the_fault(dialect: str, pattern: str, under: str, reason: str) -> None:
    """The reason names the fault and ends with the pattern and carets under the offending place."""
    with pytest.raises(PatternError) as caught:
        parse(pattern, dialect=dialect)
    (problem,) = caught.value.problems
    message, shown, carets = problem.reason.split("\n")
    assert reason in message
    column = carets.index("^")
    assert shown[4:] == pattern
    assert shown[column : column + carets.count("^")] == under
    line, _, place = problem.place.partition(":")
    assert line == "1"
    assert int(place) == column - 4 + 1
    assert problem.keyword == "pattern"


def test_places_count_lines_and_control_characters_are_shown_escaped() -> None:
    """A fault in the second line has line 2; the caret stands under it although the line feed is shown as two."""
    with pytest.raises(PatternError) as caught:
        parse("a\nb)")
    (problem,) = caught.value.problems
    assert problem.place == "2:2"
    _, shown, carets = problem.reason.split("\n")
    assert shown.strip() == r"a\nb)"
    assert shown[carets.index("^")] == ")"


@pytest.mark.parametrize(
    ("pattern", "limits"),
    [
        ("(" * 100_000, Limits()),
        ("(" * 100_000 + ")" * 100_000, Limits(pattern_length=1_000_000)),
        ("(?:" * 20_000, Limits()),
        ("a" * 65_537, Limits()),
        ("(?:ab){10001}", Limits()),
        ("(?:ab){1,10001}", Limits()),
        ("(?:ab){5,}", Limits(pattern_repeat=4)),
        ("a{99999999999}", Limits()),
        ("a{2147483647}", Limits()),
    ],
)
def test_limits_are_typed_errors(pattern: str, limits: Limits) -> None:
    """Beyond a limit comes a LimitError, never a crash."""
    with pytest.raises(LimitError):
        parse(pattern, limits=limits)


def test_unknown_dialects_are_refused() -> None:
    """A name of no dialect is a PolicyError."""
    with pytest.raises(PolicyError, match="perl"):
        parse("a", dialect="perl")


@pytest.mark.parametrize("pattern", ["[" * 60_000, "[a" * 30_000, "(|" * 249, "\\" * 60_001, "{" * 60_000, "(" * 250])
def test_bad_patterns_fail_in_linear_time(pattern: str) -> None:
    """Long broken patterns end quickly, in a tree or a typed error."""
    try:
        parse(pattern)
    except ConstraintError as error:
        assert len(str(error)) < 500  # noqa: PT017 - either outcome is fine
