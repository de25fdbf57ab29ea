import logging
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from nova_custom_driver import journal

UUID = "6d2b4ca1-1d0b-4c56-8d0a-6b7f6b9f0c11"

resources = st.builds(
    journal.Resource, kind=st.sampled_from(journal.Kind), name=st.text(),
    detail=st.dictionaries(st.text(), st.text() | st.integers(), max_size=3))


def a_resource(name="/srv/disk", kind=journal.Kind.FILE, **detail):
    return journal.Resource(kind=kind, name=name, detail=detail)


class JournalTestCase(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name, ".journal", "host")
        self.journal = journal.Journal(self.directory)

    def noted(self):
        return self.journal.unfinished().get(UUID)


class EntryTest(JournalTestCase):

    def test_a_resource_reads_back_as_it_was_noted(self):
        tap = a_resource("tap1", journal.Kind.VIF, bridge="br-int", mtu=1500)
        domain = a_resource("instance-1", journal.Kind.DOMAIN)
        entry = self.journal.entry(UUID)
        entry.note(tap)
        entry.note(domain)
        self.assertEqual((tap, domain), self.noted())

    def test_nothing_is_left_when_the_block_ends_well(self):
        with self.journal.entry(UUID) as entry:
            entry.note(a_resource())
        self.assertEqual([], list(self.directory.iterdir()))

    def test_a_block_that_raises_leaves_its_entry(self):
        with self.assertRaises(OSError), self.journal.entry(UUID) as entry:
            entry.note(a_resource())
            raise OSError
        self.assertEqual((a_resource(),), self.noted())

    def test_an_operation_that_makes_nothing_touches_no_disk(self):
        with self.journal.entry(UUID):
            pass
        self.assertFalse(self.directory.exists())

    def test_closing_one_that_was_never_written_forgets_the_file(self):
        self.journal.entry(UUID).note(a_resource())
        self.journal.entry(UUID).close()
        self.assertEqual({}, self.journal.unfinished())

    def test_notes_after_a_release_are_added(self):
        entry = self.journal.entry(UUID)
        entry.note(a_resource("one"))
        entry.release()
        entry.note(a_resource("two"))
        self.assertEqual((a_resource("one"), a_resource("two")),
                         self.noted())

    def test_only_the_service_may_read_it(self):
        self.journal.entry(UUID).note(a_resource())
        self.assertEqual(
            0o600, (self.directory / UUID).stat().st_mode & 0o777)

    def test_threads_note_side_by_side(self):
        entry = self.journal.entry(UUID)
        threads = [threading.Thread(
            target=entry.note, args=(a_resource(str(number)),))
            for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({str(number) for number in range(20)},
                         {resource.name for resource in self.noted()})
        entry.release()

    def test_an_error_of_the_disk_stops_the_operation(self):
        with mock.patch.object(os, "fdatasync", side_effect=OSError(28, "")), \
                self.assertRaises(OSError):
            self.journal.entry(UUID).note(a_resource())

    def test_no_file_stays_open_if_its_name_cannot_be_synced(self):
        self.directory.mkdir(parents=True)
        before = os.listdir("/proc/self/fd")
        with mock.patch.object(os, "fsync", side_effect=OSError(5, "")), \
                self.assertRaises(OSError):
            self.journal.entry(UUID).note(a_resource())
        self.assertEqual(before, os.listdir("/proc/self/fd"))


class DurabilityTest(JournalTestCase):
    """What a power cut may not take back: the order of the system's calls."""

    def setUp(self):
        super().setUp()
        self.calls = []
        for name in ("write", "fsync", "fdatasync"):
            self.record(os, name)
        for name in ("mkdir", "unlink"):
            self.record(pathlib.Path, name)

    def record(self, owner, name):
        real = getattr(owner, name)

        def recorded(first, *args, **kwargs):
            what = first if isinstance(first, pathlib.Path) else pathlib.Path(
                os.readlink(f"/proc/self/fd/{first}"))
            self.calls.append((name, what.name))
            return real(first, *args, **kwargs)
        patch = mock.patch.object(owner, name, recorded)
        patch.start()
        self.addCleanup(patch.stop)

    def test_a_note_and_every_name_above_it_are_synced_on_return(self):
        above = self.directory.parent.parent.name
        self.journal.entry(UUID).note(a_resource())
        self.assertEqual(
            [("mkdir", ".journal"), ("fsync", above),
             ("mkdir", "host"), ("fsync", ".journal"),
             ("fsync", "host"),
             ("write", UUID), ("fdatasync", UUID)],
            self.calls)

    def test_a_second_note_costs_one_sync(self):
        entry = self.journal.entry(UUID)
        entry.note(a_resource())
        self.calls.clear()
        entry.note(a_resource(), a_resource())
        self.assertEqual([("write", UUID), ("fdatasync", UUID)], self.calls)

    def test_a_closed_entry_does_not_come_back(self):
        entry = self.journal.entry(UUID)
        entry.note(a_resource())
        self.calls.clear()
        entry.close()
        self.assertEqual([("unlink", UUID), ("fsync", "host")], self.calls)

    def test_writes_all_where_the_system_takes_a_part(self):
        real = os.write
        with mock.patch.object(
                os, "write", lambda file, content: real(file, content[:7])):
            self.journal.entry(UUID).note(a_resource())
        self.assertEqual((a_resource(),), self.noted())


class UnfinishedTest(JournalTestCase):

    def setUp(self):
        super().setUp()
        logging.disable(logging.WARNING)
        self.addCleanup(logging.disable, logging.NOTSET)

    def test_no_directory_is_no_operation(self):
        self.assertEqual({}, self.journal.unfinished())

    def test_other_files_are_left_alone(self):
        self.directory.mkdir(parents=True)
        (self.directory / "README").write_text("{}")
        self.assertEqual({}, self.journal.unfinished())

    def test_an_entry_without_a_line_is_an_operation(self):
        self.directory.mkdir(parents=True)
        (self.directory / UUID).touch()
        self.assertEqual({UUID: ()}, self.journal.unfinished())

    def test_what_is_no_line_of_ours_is_passed_over(self):
        entry = self.journal.entry(UUID)
        entry.note(a_resource("before"))
        entry.release()
        with (self.directory / UUID).open("ab") as file:
            file.write(b'\0\0\0\n\xff\xfe\n7\n"text"\n'
                       b'{"kind": "planet", "name": "x", "detail": {}}\n')
        entry.note(a_resource("after"))
        self.assertEqual((a_resource("before"), a_resource("after")),
                         self.noted())

    @given(st.lists(resources, min_size=1, max_size=4), st.data())
    def test_a_cut_takes_no_more_than_what_it_cuts(self, notes, data):
        """Whatever length a crash leaves: a prefix, and room for more."""
        with tempfile.TemporaryDirectory() as name:
            operations = journal.Journal(pathlib.Path(name))
            entry = operations.entry(UUID)
            entry.note(*notes)
            entry.release()
            path = pathlib.Path(name, UUID)
            whole = path.stat().st_size
            os.truncate(path, data.draw(st.integers(0, whole)))
            left = operations.unfinished()[UUID]
            self.assertEqual(tuple(notes[:len(left)]), left)
            entry.note(a_resource("later"))
            entry.release()
            self.assertEqual((*left, a_resource("later")),
                             operations.unfinished()[UUID])


class CrashTest(JournalTestCase):

    def test_what_was_noted_outlives_the_process(self):
        program = textwrap.dedent("""\
            import pathlib, sys, time
            from nova_custom_driver import journal
            entry = journal.Journal(pathlib.Path(sys.argv[1])).entry(
                sys.argv[2])
            for number in range(3):
                entry.note(journal.Resource(
                    kind=journal.Kind.FILE, name=str(number)))
            print("noted", flush=True)
            time.sleep(60)
            """)
        child = subprocess.Popen(
            [sys.executable, "-c", program, self.directory, UUID],
            stdout=subprocess.PIPE, text=True)
        with child:
            self.assertEqual("noted\n", child.stdout.readline())
            child.send_signal(signal.SIGKILL)
        self.assertEqual(["0", "1", "2"],
                         [resource.name for resource in self.noted()])
