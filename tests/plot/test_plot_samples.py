"""Figures of samples by scheme, and what becomes of figures: the same bytes each time, legible at a column's width."""

import os
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from ackclock import plot
from ackclock.plot import canvas
from ackclock.plot.cloud import ellipse
from ackclock.plot.palette import STYLES
from ackclock.report import Cloud, Clouds
from ackclock.stats import Estimate, mean

mpl.use("Agg")

SAMPLES = {"cubic": ([10.0, 20, 40], [1.0, 2, 3]), "vegas": ([2.0, 3, 3.5], [0.5, 0.5, 1.0])}
NAN = float("nan")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def line(axes, label):
    (found,) = [one for one in axes.lines if one.get_label() == label]
    return found


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def luminance(colour):
    coded = np.array(mpl.colors.to_rgb(colour))
    return np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)


def test_throughput_against_delay_runs_from_right_to_left():
    axes = plot.throughput_delay(SAMPLES, published={"vegas": (4.0, 0.9)})
    dot = line(axes, "cubic")
    assert (dot.get_xdata(), dot.get_ydata()) == ([20], [2])
    assert (dot.get_color(), dot.get_marker()) == (STYLES["cubic"].colour, STYLES["cubic"].marker)
    x, y = ellipse(np.log(SAMPLES["cubic"][0]), SAMPLES["cubic"][1])
    outline = axes.patches[0].get_xy()
    np.testing.assert_allclose(outline[:-1], np.stack([np.exp(x), y], axis=1))
    assert mpl.colors.same_color(axes.patches[0].get_edgecolor(), STYLES["cubic"].colour)
    cross = line(axes, "_vegas published")
    assert (cross.get_xdata(), cross.get_ydata(), cross.get_marker()) == ([4], [0.9], "x")
    assert entries(axes) == ["cubic", "vegas", "published"]
    assert (axes.get_xscale(), axes.xaxis_inverted()) == ("log", True)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("queueing delay (ms)", "throughput (Mbit/s)")
    # More on the same axes leaves it as it is.
    plot.throughput_delay({"reno": ([5.0], [1.0])}, ax=axes)
    assert axes.xaxis_inverted()
    assert len(axes.patches[-1].get_xy()) < 2


def test_the_report_draws_the_same_cloud():
    axes = plot.throughput_delay(SAMPLES)
    html = Clouds("t", "x", "y", [Cloud(name, *SAMPLES[name], "#0072b2") for name in SAMPLES]).html("f")
    assert html.count("<polygon") == len(axes.patches) == 2
    assert html.count("<circle") == len(axes.lines) == 2


@pytest.mark.parametrize(
    ("samples", "published", "words"),
    [
        ({}, {}, "no scheme"),
        ({"cubic": ([0.0], [1.0])}, {}, "cloud 'cubic': x is above 0"),
        ({"cubic": ([1.0, 2.0], [1.0])}, {}, "2 values of x for 1 of y"),
        ({"cubic": ([1.0], [1.0])}, {"reno": (1.0, 1.0)}, "published has reno"),
    ],
)
def test_clouds_that_cannot_be_drawn(samples, published, words):
    with pytest.raises(ValueError, match=words):
        plot.throughput_delay(samples, published=published)
    assert not plt.get_fignums()


def test_distributions_by_scheme():
    axes = plot.cdfs({"reno": [3.0, 1, 2, np.inf], "mine": [5.0]}, x_label="completion time (s)", log=True)
    steps = line(axes, "reno")
    np.testing.assert_array_equal(steps.get_xdata(), [1, 1, 2, 3])
    np.testing.assert_array_equal(steps.get_ydata(), [0, 0.25, 0.5, 0.75])
    assert steps.get_drawstyle() == "steps-post"
    assert (axes.get_xscale(), axes.get_xlabel(), axes.get_ylabel()) == (
        "log",
        "completion time (s)",
        "cumulative share",
    )
    assert plot.cdfs({"reno": [1.0]}, x_label="x").get_xscale() == "linear"
    for wrong in ([], [NAN], [-np.inf]):
        with pytest.raises(ValueError, match="reno: a sample must contain numbers"):
            plot.cdfs({"reno": wrong}, x_label="x")
    with pytest.raises(ValueError, match="above 0"):
        plot.cdfs({"reno": [0.0, 1.0]}, x_label="x", log=True)
    with pytest.raises(ValueError, match="no scheme"):
        plot.cdfs({}, x_label="x")


def test_benefit_curves_have_their_intervals_as_bands():
    curve = {2.0: mean([1.0, 2, 3]), 1.0: mean([4.0, 6, 8]), 5.0: Estimate(7, NAN, NAN, 1)}
    axes = plot.benefit_curves({"newcwv": curve, "cubic": {1.0: mean([0.0, 1])}}, x_label="buffer (BDP)", log=True)
    drawn = line(axes, "newcwv")
    assert (list(drawn.get_xdata()), list(drawn.get_ydata())) == ([1, 2, 5], [6, 2, 7])
    band = axes.collections[0].get_datalim(axes.transData)
    assert (band.x0, band.x1) == (1, 2)
    assert (band.y0, band.y1) == pytest.approx((min(c.low for c in [*curve.values()][:2]), curve[1.0].high))
    assert drawn.get_color() == STYLES["reno+newcwv"].colour
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("buffer (BDP)", "benefit (%)")
    assert any(list(one.get_ydata()) == [0, 0] for one in axes.lines)
    for wrong, words in (({}, "no scheme"), ({"cubic": {}}, "cubic: a curve needs at least one point")):
        with pytest.raises(ValueError, match=words):
            plot.benefit_curves(wrong, x_label="x")


CELLS = {(1, 10): 4.0, (2, 10): Estimate(-8, -9, -7, 5), (1, 20): Estimate(1, -1, 3, 5), (2, 20): NAN, (4, 20): 2.0}


def texts(axes):
    return {text.get_position(): text for text in axes.texts}


def test_a_map_has_its_numbers_in_its_cells():
    axes = plot.benefit_map(CELLS, x_label="rate (Mbit/s)", y_label="RTT (ms)")
    (image,) = axes.images
    np.testing.assert_array_equal(image.get_array().filled(NAN), [[4, -8, NAN], [1, NAN, 2]])
    shown = {place: text.get_text() for place, text in texts(axes).items()}
    assert shown == {(0, 0): "+4.0", (1, 0): "−8.0", (2, 0): "–", (0, 1): "(+1.0)", (1, 1): "–", (2, 1): "+2.0"}  # noqa: RUF001
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "4"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["10", "20"]
    assert not axes.yaxis_inverted()
    assert (image.norm.vmin, image.norm.vmax) == (-8, 8)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate (Mbit/s)", "RTT (ms)")
    assert image.colorbar.ax.get_ylabel() == "benefit (%)"
    red, blue = image.cmap(image.norm([-8, 8]))
    assert red[0] > red[2]
    assert blue[2] > blue[0]


def test_colours_of_a_map_can_be_bounded_and_zero_is_white_everywhere():
    axes = plot.benefit_map(CELLS, x_label="x", y_label="y", limit=4, number="{:.0f}")
    (image,) = axes.images
    assert (image.norm.vmin, image.norm.vmax, image.colorbar.extend) == (-4, 4, "both")
    assert texts(axes)[(1, 0)].get_text() == "−8"  # noqa: RUF001
    flat = plot.benefit_map({(1, 1): 0.0, (2, 1): 0.0}, x_label="x", y_label="y").images[0]
    assert (flat.norm.vmin, flat.norm.vmax) == (-1, 1)
    assert min(flat.cmap(flat.norm(0.0))[:3]) > 0.95
    for limit in (0, -1, NAN, np.inf):
        with pytest.raises(ValueError, match="limit of the colours"):
            plot.benefit_map(CELLS, x_label="x", y_label="y", limit=limit)
    with pytest.raises(ValueError, match="cells is empty"):
        plot.benefit_map({}, x_label="x", y_label="y")
    assert len(plt.get_fignums()) == 2


def test_numbers_of_a_map_can_be_read_on_every_colour():
    axes = plot.benefit_map({(x, 1): float(x) for x in range(-20, 21)} | {(0, 2): NAN}, x_label="x", y_label="y")
    image = axes.images[0]
    colours = image.cmap(image.norm(image.get_array()))
    for (column, row), text in texts(axes).items():
        dark, light = sorted((luminance(colours[row, column]), luminance(text.get_color())))
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_numbers_of_a_map_stay_in_their_cells():
    axes = plot.benefit_map({(x, y): -100.0 for x in range(8) for y in (1, 2)}, x_label="x", y_label="y")
    axes.figure.draw_without_rendering()
    cell = axes.get_window_extent().width / 8
    assert 0.6 * cell < max(text.get_window_extent().width for text in axes.texts) <= cell


def test_files_are_the_same_bytes_each_time(tmp_path):
    script = (
        "import sys; from ackclock import plot\n"
        "axes = plot.cdfs({'reno': [1.0, 2], 'cubic': [2.0, 5]}, x_label='time (s)')\n"
        "for suffix in ('pdf', 'png', 'svg'): plot.save(axes, f'{sys.argv[1]}.{suffix}')\n"
    )
    for name, epoch in (("one", "1000000000"), ("two", "1500000000")):
        # Matplotlib reads these as times of the day.
        env = os.environ | {"SOURCE_DATE_EPOCH": epoch, "PYTHONHASHSEED": epoch[1], "MPLBACKEND": "agg"}
        subprocess.run([sys.executable, "-c", script, tmp_path / name], check=True, env=env)
    for suffix, magic in {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<?xml"}.items():
        one, two = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
        assert one == two, suffix
        assert one.startswith(magic)


def test_axes_arrays_of_axes_and_figures_can_be_saved(tmp_path):
    figure, axes = plt.subplots(2)
    for name, what in (("figure", figure), ("axes", axes[1]), ("array", axes)):
        plot.save(what, tmp_path / f"{name}.PNG")
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    axes = plot.cdfs({"reno": [1.0]}, x_label="x")
    for name, words in (("plot.gif", r"\.gif"), ("plot", "no suffix")):
        with pytest.raises(
            ValueError, match=rf"{name}: {words} is not a format for figures; accepted: \.pdf, \.png, \.svg"
        ):
            plot.save(axes, tmp_path / name)
    target = tmp_path / "plot.png"
    target.write_bytes(b"before")
    with pytest.raises(FileNotFoundError, match=r"folder/plot\.png"):
        plot.save(axes, tmp_path / "folder" / "plot.png")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OSError, match=r"No space left on device.*plot\.png"):
        plot.save(axes, target)
    monkeypatch.undo()
    with pytest.raises(ZeroDivisionError):
        plot.save(Broken(), target)
    assert [path.name for path in tmp_path.iterdir()] == ["plot.png"]
    assert target.read_bytes() == b"before"
    plot.save(axes, target)
    assert target.read_bytes().startswith(b"\x89PNG")


class Broken(mpl.figure.Figure):
    """A figure that fails halfway."""

    def savefig(self, file, **_):
        file.write(b"half")
        raise ZeroDivisionError


def test_fonts_are_for_a_column_whatever_the_users_settings():
    with mpl.rc_context({"font.size": 30, "axes.labelsize": 40, "legend.fontsize": 50}):
        axes = plot.cdfs({"reno": [1.0, 2]}, x_label="x")
        assert axes.figure.get_figwidth() == plot.COLUMN == 3.5
        assert axes.xaxis.label.get_fontsize() == 8
        assert axes.get_legend().get_texts()[0].get_fontsize() == 7
        assert axes.get_title() == ""
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.parametrize("schemes", [1, 2, 5, 9])
def test_legends_are_above_the_data_and_as_wide_as_the_figure_at_most(schemes):
    names = ["reno", "cubic-rfc8312", "newcwv with pacing", "bbr", "compound-tuned", "vegas", "lp", "bic", "xcp"][
        :schemes
    ]
    axes = plot.cdfs({name: [1.0, 2] for name in names}, x_label="x")
    figure = axes.figure
    figure.draw_without_rendering()
    box, inside = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert box.y0 >= inside.y1 - 1
    assert box.x1 <= figure.bbox.x1
    assert inside.width > 0.6 * figure.bbox.width


def test_columns_of_a_legend_are_those_of_the_fewest_rows():
    assert canvas.legend_columns([10, 10, 10], 1, 32) == 3
    assert canvas.legend_columns([10, 10, 10], 1, 31) == 2
    assert canvas.legend_columns([10] * 6, 1, 54) == 3
    assert canvas.legend_columns([10, 90], 1, 50) == 1
    assert canvas.legend_columns([10, 30, 10, 30], 1, 50) == 1
