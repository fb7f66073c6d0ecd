"""A trip over which nothing comes or goes is cut; a slow one is not."""

from tenuto.worker.process.claimer import Traffic


def test_an_answer_that_keeps_coming_is_waited_for_however_long_it_takes():
    traffic = Traffic()
    stood_still = [traffic.still(100.0 + second, 100.0, (10, second * 4096)) for second in range(0, 300, 20)]

    assert max(stood_still) == 0


def test_a_trip_stands_still_since_it_began_or_since_something_last_moved():
    traffic = Traffic()
    traffic.still(50.0, 50.0, (10, 10))  # another trip

    assert traffic.still(130.0, 100.0, (10, 10)) == 30
    assert traffic.still(131.0, 100.0, (11, 10)) == 0
    assert traffic.still(141.0, 100.0, (11, 10)) == 10


def test_where_nobody_knows_what_moved_the_time_since_the_beginning_counts():
    assert [Traffic().still(100.0 + second, 100.0, None) for second in (0, 30)] == [0, 30]
