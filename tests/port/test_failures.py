"""Errors with their places are read from the output of compilers, linkers, make and CMake."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.port.failures import Failure, failures

CMAKE = """\
CMake Warning at CMakeLists.txt:5 (find_package):
  By not providing "Findhipblas.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "hipblas", but
  CMake did not find one.

CMake Warning at CMakeLists.txt:6 (message):
  slow

CMake Error at src/CMakeLists.txt:12 (target_link_libraries):
  Target "app" links to:

    roc::hipblas

  but the target was not found.


-- Generating done
CMake Generate step failed.
"""


NO_RULE = "No rule to make target 'a.o', needed by 'b'"


def read(output: str) -> list[Failure]:
    return list(failures(output, "/build", "/tree"))


def test_cmake() -> None:
    assert read(CMAKE) == [
        Failure("/tree/CMakeLists.txt", 5, 1, "the package hipblas is not installed"),
        Failure(
            "/tree/src/CMakeLists.txt",
            12,
            1,
            'target_link_libraries: Target "app" links to: roc::hipblas but the target was not found.',
        ),
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            "/t/a.hip:3:7: error: use of undeclared identifier 'x'",
            [("/t/a.hip", 3, "use of undeclared identifier 'x'")],
        ),
        ("../t/a.hip:3:7: fatal error: 'x.h' file not found", [("/t/a.hip", 3, "'x.h' file not found")]),
        ("\x1b[1ma.hip:3:7: \x1b[0merror: no\x1b[0m", [("/build/a.hip", 3, "no")]),
        ("a.o: in function `main': undefined reference to `f(int)'", [("", 1, "undefined symbol f(int)")]),
        ("ld.lld: error: undefined symbol: f(int)", [("", 1, "undefined symbol f(int)")]),
        ("lld: error: undefined hidden symbol: f(int)", [("", 1, "undefined hidden symbol: f(int)")]),
        (
            "/usr/bin/ld: cannot find -lcutil: No such file or directory",
            [("", 1, "the library cutil is not installed")],
        ),
        ("ld.lld: error: unable to find library -lcutil", [("", 1, "the library cutil is not installed")]),
        (
            "gcc: error: unrecognized command-line option \u2018-cl-std=CL1.2\u2019",
            [("", 1, "unrecognized command-line option \u2018-cl-std=CL1.2\u2019")],
        ),
        ("x86_64-linux-gnu-g++-12: fatal error: no such file", [("", 1, "no such file")]),
        ("clang-15: error: linker command failed with exit code 1 (use -v to see invocation)", []),
        ("clang: error: amdgcn-link command failed with exit code 1", []),
        ("g++: fatal error: no input files", []),
        ("/usr/bin/ld: warning: x.o: missing .note.GNU-stack", []),
        (
            'CMake Error: Cannot determine link language for target "app".',
            [("", 1, 'Cannot determine link language for target "app".')],
        ),
        ("gmake[2]: *** No rule to make target 'a.o', needed by 'b'.  Stop.", [("", 1, NO_RULE)]),
        ("make: *** No rule to make target 'a.o', needed by 'b'.", [("", 1, NO_RULE)]),
        ("a.hip:3:7: warning: unused", []),
        ("a.hip:3:7: note: candidate", []),
        ("make: *** [Makefile:3: a.o] Error 1", []),
        ("error: nothing", []),
    ],
)
def test_lines(line: str, found: list[tuple[str, int, str]]) -> None:
    assert [(one.path, one.line, one.message) for one in read(f"{line}\n{line}\n")] == found


def test_make_names_its_folder() -> None:
    output = "make[1]: Entering directory '/tree/sub'\na.hip:1:2: error: no\nmake[1]: Leaving directory '/tree/sub'\n"
    assert [one.path for one in read(output)] == ["/tree/sub/a.hip"]


def test_of_a_test_program_the_compilers_words_are_kept() -> None:
    output = (
        "CMake Error at /usr/share/cmake/Modules/CMakeTestHIPCompiler.cmake:66 (message):\n  The HIP compiler\n\n"
        '    "/usr/bin/clang++"\n\n  does not compile.\n\n    /usr/bin/ld: cannot find -lomp\n'
        "    clang: error: linker command failed with exit code 1\n\n"
    )
    (found,) = failures(output, "/b", "/p")
    assert found.message == "message: /usr/bin/ld: cannot find -lomp"


def test_an_exception_of_setup_py_is_at_its_last_place_in_the_project() -> None:
    output = (
        "running build_ext\nTraceback (most recent call last):\n"
        '  File "/tree/setup.py", line 9, in <module>\n    setup()\n    ~~~~~^^\n'
        '  File "/tree/tools/find.py", line 3, in find\n    raise OSError("no")\n'
        '  File "/usr/lib/python3/os.py", line 7, in open\n    pass\n'
        "OSError: nvcc is missing\nerror: more\n"
    )
    assert read(output) == [Failure("/tree/tools/find.py", 3, 1, "OSError: nvcc is missing")]
    assert read("Traceback (most recent call last):\nnothing else here\n") == []
    assert read(output.replace("/tree/", "/usr/bin/")) == []  # rocm_agent_enumerator without a GPU, for example


def test_gcc_and_clang_miss_the_same_header() -> None:
    said = "a.h:3:10: fatal error: {}\n"
    assert read(said.format("b/c.h: No such file or directory") + said.format("'b/c.h' file not found")) == [
        Failure("/build/a.h", 3, 10, "'b/c.h' file not found")
    ]


def test_a_makefile_goes_on_after_another(tmp_path: Path) -> None:
    output = (
        f"make: Entering directory '{tmp_path}/a'\nmake[1]: Entering directory '{tmp_path}/a/b'\n"
        f"x.hip:1:1: error: first\nmake[1]: Leaving directory '{tmp_path}/a/b'\ny.hip:2:1: error: second\n"
        f"make: Leaving directory '{tmp_path}/a'\nz.hip:3:1: error: third\n"
    )
    found = [failure.path for failure in failures(output, str(tmp_path), str(tmp_path))]
    assert found == [f"{tmp_path}/a/b/x.hip", f"{tmp_path}/a/y.hip", f"{tmp_path}/z.hip"]


def test_an_error_in_a_header_of_the_system_is_at_the_include_that_brought_it() -> None:
    output = (
        "In file included from ./include/core.h:25,\n                 from src/a.cc:23:\n"
        "/usr/include/hip/hip_runtime.h:66:2: error: #error one\n"
        "In file included from /usr/include/hip/hip_runtime.h:113:\n"
        "/usr/include/hip/hip_runtime_api.h:6711:2: error: #error two\n"
        "In file included from /usr/include/x.h:1,\n                 from src/b.cc:3:\n"
        "/usr/include/y.h:7:2: error: three\nsrc/b.cc:9:2: error: four\n"
    )
    found = [(failure.path, failure.line, failure.message) for failure in failures(output, "/t", "/t")]
    assert found == [
        ("/t/include/core.h", 25, "#error one (/usr/include/hip/hip_runtime.h:66)"),
        ("/t/include/core.h", 25, "#error two (/usr/include/hip/hip_runtime_api.h:6711)"),
        ("/t/src/b.cc", 3, "three (/usr/include/y.h:7)"),
        ("/t/src/b.cc", 9, "four"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "make: g++: No such file or directory",
        "make[2]: g++: No such file or directory",
        "/bin/sh: 1: g++: not found",
        "/bin/bash: line 1: g++: command not found",
        "sh: g++: command not found",
    ],
)
def test_a_program_that_is_not_installed(line: str) -> None:
    assert [failure.message for failure in failures(line, "/t", "/t")] == ["the program g++ is not installed"]


def test_a_language_without_a_compiler() -> None:
    output = (
        "CMake Error at CMakeLists.txt:12 (project):\n  No CMAKE_CXX_COMPILER could be found.\n\n"
        "  Tell CMake where to find the compiler\n"
    )
    found = [failure.message for failure in failures(output, "/t", "/t")]
    assert found == ["project: no compiler for the language CXX was found"]


MAKEFILE = """\
OBJ := obj
PARTS = params.o \\
  fftwproxy.o

all: $(OBJ)/option.o $(PARTS)
# $(OBJ)/option.o: src/option.cu
\t./other obj/option.o: src/option.cu
$(OBJ)/option.o: \\
  $(SRC)/option.cu
\t$(NVCC) -c $<
other.o another.o: other.cu
"""


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("'src/option.cu', needed by 'obj/option.o'", 8),
        ("'fftwproxy.o', needed by 'all'", 5),
        ("'params.h', needed by 'another.o'", 11),
        ("'fftwproxy.o'", 2),
    ],
)
def test_a_missing_prerequisite_is_at_the_rule_that_needs_it(said: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "makefile.old").write_text(f"\n{MAKEFILE}")
    message = f"No rule to make target {said}"
    found = list(failures(f"make: *** {message}.\n", str(tmp_path), str(tmp_path)))
    assert found == [Failure(str(tmp_path / "Makefile"), line, 1, message)]
    # CMake's Makefiles, in the folder for the build, are not the project's.
    elsewhere = failures(f"make: *** {message}.\n", str(tmp_path), str(tmp_path / "project"))
    assert list(elsewhere) == [Failure("", 1, 1, message)]


def test_an_error_in_a_module_of_cmake_is_at_the_call_in_the_project() -> None:
    output = (
        "CMake Error at /usr/share/cmake/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n"
        "  Could NOT find PNG (missing: PNG_LIBRARY\n  PNG_PNG_INCLUDE_DIR)\n"
        "Call Stack (most recent call first):\n"
        "  /usr/share/cmake/Modules/FindPackageHandleStandardArgs.cmake:600 (_FPHSA_FAILURE_MESSAGE)\n"
        "  /usr/share/cmake/Modules/FindPNG.cmake:151 (find_package_handle_standard_args)\n"
        "  sub/CMakeLists.txt:12 (find_package)\n  CMakeLists.txt:3 (add_subdirectory)\n\n\n"
        "-- Configuring incomplete, errors occurred!\n"
    )
    message = "message: Could NOT find PNG (missing: PNG_LIBRARY PNG_PNG_INCLUDE_DIR)"
    assert read(output) == [Failure("/tree/sub/CMakeLists.txt", 12, 1, message)]


def test_errors_of_autoconf_have_places() -> None:
    output = "configure.ac:4: warning: obsolete\nconfigure.ac:103: error: possibly undefined macro: AC_MSG_ERROR\n"
    assert read(output) == [Failure("/tree/configure.ac", 103, 1, "possibly undefined macro: AC_MSG_ERROR")]


@pytest.mark.parametrize(("joint", "lines"), [("direct cause", [20]), ("context", [20, 23])])
def test_of_exceptions_that_one_caused_the_cause_is_the_error(joint: str, lines: list[int]) -> None:
    between = {
        "direct cause": "The above exception was the direct cause of the following exception:",
        "context": "During handling of the above exception, another exception occurred:",
    }
    trace = 'Traceback (most recent call last):\n  File "/tree/setup.py", line {}, in <module>\n    x\n{}\n'
    output = trace.format(20, "ModuleNotFoundError: No module named 'torch'") + f"\n{between[joint]}\n\n"
    assert [one.line for one in read(output + trace.format(23, "ImportError: PyTorch is required"))] == lines


def test_a_recipe_that_failed_is_an_error_only_without_others() -> None:
    recipe = "make[1]: *** [Makefile:35: utils.o] Error 1\n"
    inside = "make[1]: Entering directory '/tree/src'\n"
    assert read(inside + recipe) == [Failure("/tree/src/Makefile", 35, 1, "the recipe of utils.o failed: Error 1")]
    assert read(recipe) == []  # a Makefile that CMake wrote
    assert [one.message for one in read(f"{inside}a.hip:1:2: error: no\n{recipe}")] == ["no"]
