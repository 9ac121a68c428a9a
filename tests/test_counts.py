import pytest

from hipport.counts import count_of


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 warnings"), (1, "1 warning"), (2, "2 warnings"), (1000, "1,000 warnings")]
)
def test_noun_agrees_with_its_number(number: int, said: str) -> None:
    assert count_of(number, "warning") == said


def test_irregular_plural() -> None:
    assert [count_of(number, "launch", "launches") for number in (1, 2)] == ["1 launch", "2 launches"]
