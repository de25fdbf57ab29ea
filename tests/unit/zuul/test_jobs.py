"""Zuul's configuration: it can be read, and what it names is there."""

import configparser
import os
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).parents[3]
OTHERS = yaml.safe_load(
    pathlib.Path(__file__).with_name("others.yaml").read_text())
# Attributes of a job that Zuul knows and ours use.
ATTRIBUTES = {
    "abstract", "description", "group-vars", "irrelevant-files", "name",
    "nodeset", "override-checkout", "parent", "pre-run", "required-projects",
    "run", "timeout", "vars", "voting"}
PIPELINES = {"check", "gate", "experimental", "periodic-weekly"}


def configuration():
    """Yield (kind, body) of everything in ``.zuul.d``."""
    for path in sorted((ROOT / ".zuul.d").glob("*.yaml")):
        for item in yaml.safe_load(path.read_text()):
            ((kind, body),) = item.items()
            yield kind, body


def elsewhere(wanted):
    """Return the names of a kind that other repositories define."""
    return {name for files in OTHERS.values() for kinds in files.values()
            for kind, names in kinds.items() if kind == wanted
            for name in names}


def tracked():
    return subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, text=True,
        capture_output=True).stdout.splitlines()


def strings(value):
    """Yield every string in a value of YAML."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


class JobsTest(unittest.TestCase):

    def setUp(self):
        self.jobs = {body["name"]: body for kind, body in configuration()
                     if kind == "job"}
        (self.project,) = [body for kind, body in configuration()
                           if kind == "project"]

    def each(self, attribute):
        """Yield (name, value) of each job that has an attribute."""
        for name, job in self.jobs.items():
            if attribute in job:
                with self.subTest(name):
                    yield name, job[attribute]

    def variables(self, name):
        """Return a job's variables, its parents' included."""
        job = self.jobs.get(name, {})
        inherited = self.variables(job["parent"]) if "parent" in job else {}
        return inherited | job.get("vars", {})

    def test_nothing_else_is_configured(self):
        self.assertEqual({"job", "project"},
                         {kind for kind, _ in configuration()})

    def test_names_are_given_once(self):
        names = [body["name"] for kind, body in configuration()
                 if kind == "job"]
        self.assertEqual(sorted(set(names)), sorted(names))

    def test_attributes(self):
        for name, job in self.jobs.items():
            self.assertLessEqual(set(job), ATTRIBUTES, name)
            self.assertIn("description", job)

    def test_parents(self):
        for _, parent in self.each("parent"):
            self.assertIn(parent, self.jobs.keys() | elsewhere("job"))

    def test_what_runs_is_defined(self):
        pipelines = set(self.project) - {"templates"}
        self.assertLessEqual(pipelines, PIPELINES)
        for pipeline in pipelines:
            for job in self.project[pipeline]["jobs"]:
                self.assertIn(job, self.jobs.keys() | elsewhere("job"))
                self.assertFalse(self.jobs.get(job, {}).get("abstract"))

    def test_what_is_defined_runs(self):
        running = {job for pipeline in PIPELINES
                   for job in self.project[pipeline]["jobs"]}
        self.assertEqual(
            {name for name, job in self.jobs.items()
             if not job.get("abstract")}, running & self.jobs.keys())

    def test_only_what_votes_is_a_gate(self):
        for name in self.project["gate"]["jobs"]:
            self.assertTrue(self.jobs.get(name, {}).get("voting", True))
            self.assertIn(name, self.project["check"]["jobs"])

    def test_templates(self):
        self.assertLessEqual(set(self.project["templates"]),
                             elsewhere("project-template"))

    def test_nodesets(self):
        for _, nodeset in self.each("nodeset"):
            self.assertIn(nodeset, elsewhere("nodeset"))

    def test_projects(self):
        for _, projects in self.each("required-projects"):
            for project in projects:
                self.assertIn(project["name"], OTHERS)

    def test_files_that_do_not_matter_are_there(self):
        files = tracked()
        for _, patterns in self.each("irrelevant-files"):
            for pattern in patterns:
                self.assertTrue(any(re.match(pattern, file)
                                    for file in files), pattern)

    def test_environments_are_in_tox_ini(self):
        tox = configparser.RawConfigParser()
        tox.read(ROOT / "tox.ini")
        for name, job in self.jobs.items():
            environment = self.variables(name).get("tests_environment")
            if environment and not job.get("abstract"):
                self.assertIn(f"testenv:{environment}", tox)

    def test_playbooks(self):
        for attribute in ("pre-run", "run"):
            for _, playbook in self.each(attribute):
                for play in yaml.safe_load((ROOT / playbook).read_text()):
                    self.assertIn("tasks", play)

    def test_variables_of_playbooks_are_given(self):
        names = {name for path in (ROOT / "playbooks").rglob("*.yaml")
                 for text in strings(yaml.safe_load(path.read_text()))
                 for name in re.findall(r"\btests_\w+", text)}
        own = {"tests_source", "tests_tox"}
        given = self.variables("nova-custom-driver-unit").keys()
        self.assertEqual(given & names, names - own)

    def test_targets_of_make(self):
        play = yaml.safe_load(
            (ROOT / "playbooks/tests/pre.yaml").read_text())
        makefile = (ROOT / "Makefile").read_text().replace(
            "$(BIN)", ".venv/bin")
        for target in play[0]["tasks"][0]["loop"]:
            self.assertRegex(makefile, f"(?m)^{re.escape(target)}:")

    def test_no_playbook_is_forgotten(self):
        used = {playbook for attribute in ("pre-run", "run")
                for _, playbook in self.each(attribute)}
        self.assertEqual(used, {file for file in tracked()
                                if file.startswith("playbooks/")})

    def test_settings_of_the_plugin(self):
        known = (ROOT / "devstack/settings").read_text()
        for name in self.jobs:
            for setting in self.variables(name).get("devstack_localrc", ()):
                self.assertIn(setting, known)


@unittest.skipUnless(os.environ.get("ZUUL_SOURCES"),
                     "checkouts of other repositories are not given "
                     "($ZUUL_SOURCES/<owner>/<name>)")
class OthersTest(unittest.TestCase):

    def test_others_define_what_we_refer_to(self):
        for repository, files in OTHERS.items():
            directory = pathlib.Path(os.environ["ZUUL_SOURCES"], repository)
            if not directory.exists():
                continue
            for file, kinds in files.items():
                defined = {(kind, body.get("name"))
                           for item in yaml.safe_load(
                               (directory / file).read_text())
                           for kind, body in item.items()}
                self.assertLessEqual(
                    {(kind, name) for kind, names in kinds.items()
                     for name in names}, defined, repository)
