"""Which alerts of a history call for attention now, and which are over?"""

from __future__ import annotations

import math

from scoresheet.metrics.families.collective.alerts import history_alerts

EPOCHS = ["1", "2", "3", "4", "5"]
NAN = math.nan


def found(**columns: list[float]) -> list[tuple[str, str, str]]:
    named = {name.replace("acc_", "acc:"): values for name, values in columns.items()}
    return [(alert.name, alert.epoch, alert.over_since) for alert in history_alerts(EPOCHS, named)]


def test_a_drop_that_is_made_up_for_and_stays_so_is_over() -> None:
    assert found(emergence_ratio=[1.2, 1.0, 1.1, 1.2, 1.2]) == [("emergence_drop", "2", "3")]


def test_a_drop_that_is_only_half_made_up_for_is_not_over() -> None:
    assert found(emergence_ratio=[1.2, 0.9, 1.0, 1.05, 1.07]) == [("emergence_drop", "2", "")]


def test_a_drop_after_which_the_ratio_slides_back_step_by_step_is_not_over() -> None:
    assert found(emergence_ratio=[1.2, 1.0, 1.1, 1.05, 1.0]) == [("emergence_drop", "2", "")]


def test_a_stream_that_comes_back_to_life_is_history_and_one_that_dies_again_is_an_alert() -> None:
    assert found(acc_a=[0.0, 0.0, 0.3, 0.3, 0.0]) == [
        ("dead_stream", "1", "3"),
        ("dead_stream", "2", "3"),
        ("dead_stream", "5", ""),
    ]


def test_an_epoch_that_logs_nothing_neither_ends_nor_repeats_an_alert() -> None:
    assert found(routing_entropy=[2.5, NAN, NAN, NAN, NAN]) == [("high_routing_entropy", "1", "")]
    assert found(fingerprint_diversity=[0.2, NAN, 0.9, NAN, NAN]) == [("collapsed_fingerprints", "1", "3")]


def test_streams_are_told_apart() -> None:
    assert found(acc_a=[0.0, 0.3, 0.3, 0.3, 0.3], acc_b=[0.0] * 5)[:2] == [
        ("dead_stream", "1", "2"),
        ("dead_stream", "1", ""),
    ]
