"""The map of a matrix: its cells, colours and texts."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from ackclock.plot.matrix import matrix_map

NAN = float("nan")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_each_cell_has_its_number_and_rows_begin_at_the_top():
    axes = matrix_map([[50, 97.4], [2.6, NAN]], ["hog", "shy"], ["hog", "shy"], label="share (%)", middle=50.0)
    texts = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in axes.texts}
    assert texts == {(0, 0): "50", (0, 1): "97", (1, 0): "2.6"}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["hog", "shy"]
    bottom, top = axes.get_ylim()
    assert bottom > top


def test_the_middle_has_no_colour_and_both_sides_are_as_dark():
    image = matrix_map([[50.0, 90.0], [10.0, 50.0]], ["a", "b"], ["a", "b"], label="x", middle=50.0).images[0]
    assert image.norm(50.0) == pytest.approx(0.5)
    assert image.norm(90.0) - 0.5 == pytest.approx(0.5 - image.norm(10.0))
    assert np.allclose(image.cmap(0.5)[:3], 1.0, atol=0.05)


def test_numbers_without_a_middle_go_from_light_to_dark():
    image = matrix_map([[0.0, 10.0]], ["a"], ["a", "b"], label="x").images[0]
    assert sum(image.cmap(image.norm(0.0))[:3]) > sum(image.cmap(image.norm(10.0))[:3]) + 1


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[NAN, NAN], [NAN, NAN]]])
def test_values_that_are_no_map_are_refused(values):
    with pytest.raises(ValueError, match="values of shape"):
        matrix_map(values, ["a", "b"], ["a", "b"], label="x")
