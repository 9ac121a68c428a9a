"""Member templates of dependent objects and types without `template`, in all forms, compiled by clang."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.translate.dialect.comparing import converted

DECLARED = """\
template <int N> struct Sums {
  int low = N; static const int limit = N;
  template <int... M> static int value(int p = 1) { return N; }
  template <class... T> static int kind(int p = 1) { return N; }
  template <class T> struct In { static const int limit = 3; static int go() { return 2; } };
  template <int M> struct At { static const int limit = M; static int go() { return M; } };
  Sums& self() { return *this; }
};
template <class O> struct Holder {
  O held; static O shared();
  template <int N> int in(O& o, O* q, int p, O (&all)[2]) { Sums<N> s; auto got = o.self(); return @; }
  template <int N> int out(O& o, O* q, int p, O (&all)[2]);
};
template <class O> template <int N> int Holder<O>::out(O& o, O* q, int p, O (&all)[2]) {
  Sums<N + 1> s; auto& got = all[1]; return @;
}
inline int run(Sums<4> o) {
  Sums<4> all[2]; Holder<Sums<4>> h;
  return h.in<3>(o, &o, 1, all) + h.out<2>(o, &o, 1, all);
}
"""
OBJECTS = ("o.", "q->", "(*q).", "s.", "got.", "held.", "this->held.", "all[p].", "o.self().", "Holder::shared().")
TYPES = ("Sums<N>::", "O::", "Sums<(N > 2)>::", "Sums<sizeof(O) + N>::")
CALLS = ("value<3>(p)", "value<N, 2>(p)", "value< N >(p)", "value <7> ()", "kind<int>(p)", "kind<O, O*> ()")
SCOPES = ("In<int>::limit", "In<O>::go()", "At<N>::limit", "At<(N > 1)>::go()")
COMPARED = ("@low < p > (N)", "(@low<p && p> (N))", "@low < N", "p < @low > (p)", "(@low <p> N)")


def forms() -> list[str]:
    calls = itertools.product((*OBJECTS, *TYPES), CALLS)
    scopes = itertools.product(TYPES, SCOPES)
    compared = ((form.replace("@", each),) for form in COMPARED for each in OBJECTS)
    return ["".join(each) for each in (*calls, *scopes, *compared)]


@pytest.mark.toolchain
def test_all_forms_compile(tmp_path: Path) -> None:
    parts = [f"namespace c{n} {{\n{DECLARED.replace('@', form)}}}\n" for n, form in enumerate(forms())]
    source = tmp_path / "forms.cpp"
    source.write_text(converted("".join(parts)).data.decode())
    if shutil.which("clang++-15") is None:
        pytest.skip("clang++-15 is not installed")
    command = ["clang++-15", "-std=c++17", "-w", "-ferror-limit=0", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("form", COMPARED)
def test_comparisons_stay(form: str) -> None:
    text = "".join(DECLARED.replace("@", form.replace("@", each)) for each in OBJECTS)
    assert converted(text).data.decode() == text


def test_the_result_stays() -> None:
    once = converted(DECLARED.replace("@", "o.value<N>(p)")).data
    assert b"o.template value<N>(p)" in once
    assert converted(once.decode()).data == once
