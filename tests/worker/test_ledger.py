"""What had begun when a process died."""

import os

from tenuto.worker.process.held_attempts import MAX_UNREPORTED, CrashLedger, make_ledger_file, read_ledger


def test_it_tells_what_had_begun_and_not_ended():
    fd = make_ledger_file(4)
    book = CrashLedger(fd)
    id_one, id_two = "01a1df16-e643-70aa-8838-1dafcd99876f", "01a1df16-e643-70ab-a8b7-2413bb10ac68"
    book.enter(id_one, 1)
    book.enter(id_two, 100_000)
    book.leave([(id_one, 1)])
    assert read_ledger(fd) == [(id_two, 100_000)]
    os.close(fd)


def test_what_has_ended_stays_until_its_report_was_accepted():
    fd = make_ledger_file(4)
    book = CrashLedger(fd)
    book.end(book.enter("a", 1))
    assert (read_ledger(fd), read_ledger(fd, ended=True)) == ([], [("a", 1)])

    book.leave([("a", 1)])
    book.enter("b", 2**31 - 1)
    assert read_ledger(fd, ended=True) == read_ledger(fd) == [("b", 2**31 - 1)]
    os.close(fd)


def test_places_are_used_again_and_none_left_is_no_error():
    fd = make_ledger_file(1)
    book = CrashLedger(fd)
    for no in range(1 + MAX_UNREPORTED):
        book.enter("a", no)
    assert book.enter("b", 1) == -1
    book.end(-1)
    book.leave([("b", 1)])
    book.leave([("a", no) for no in range(1 + MAX_UNREPORTED)])
    book.enter("c", 3)
    assert read_ledger(fd) == [("c", 3)]
    os.close(fd)
