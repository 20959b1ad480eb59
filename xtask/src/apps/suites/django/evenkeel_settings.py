"""Settings for Django's own tests: test databases that Django creates and drops by itself, on the server at PGHOST and PGPORT; what became of each test goes into the file RESULTS."""
import os
import unittest

from django.apps import apps
from django.contrib.postgres.operations import CreateExtension
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.backends.postgresql.creation import DatabaseCreation
from django.db.backends.postgresql.features import DatabaseFeatures
from django.db.migrations.operations import CreateModel
from django.db.utils import Error
from django.test.runner import DiscoverRunner


def database(name):
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": "postgres",
        "HOST": os.environ["PGHOST"],
        "PORT": int(os.environ["PGPORT"]),
    }


DATABASES = {"default": database("django"), "other": database("django2")}
SECRET_KEY = "of tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
TEST_RUNNER = "evenkeel_settings.Runner"

# The collations that there are; the suite's are ICU's, without which none of its tables could be made.
DatabaseFeatures.test_collations = {"deterministic": "C", "non_default": "POSIX", "virtual": "C"}


# Of who runs them, and of how fast the machine is; not of the server.
NOT_OF_THE_SERVER = {
    "file_uploads.tests.DirectoryCreationTests.test_readonly_root",
    "serializers.test_deserialization.TestDeserializer.test_crafted_xml_performance",
}
left_out = set()


def leaving_out(forwards):
    """A migration's operation that leaves out what the server does not have: tests of that fail, others can run."""

    def tolerant(self, app_label, editor, *args):
        if app_label != "postgres_tests":
            return forwards(self, app_label, editor, *args)
        try:
            with transaction.atomic(using=editor.connection.alias):
                forwards(self, app_label, editor, *args)
        except Error as e:
            left_out.add(f"{app_label}_{getattr(self, 'name_lower', '')}")
            print(f"{app_label}: left out {self.describe()}: {str(e).splitlines()[0]}")
        # What is to follow when all tables are there, such as foreign keys.
        editor.deferred_sql[:] = [
            sql for sql in editor.deferred_sql if not any(sql.references_table(table) for table in left_out)
        ]

    return tolerant


def serializing(serialize):
    """Keeps the rows of a new database for tests that want them back; of tables that were left out there are none."""

    def tolerant(self):
        absent = [model._meta for model in apps.get_models() if model._meta.db_table in left_out]
        try:
            for meta in absent:
                meta.managed = False
            return serialize(self)
        finally:
            for meta in absent:
                meta.managed = True

    return tolerant


DatabaseCreation.serialize_db_to_string = serializing(DatabaseCreation.serialize_db_to_string)
CreateExtension.database_forwards = leaving_out(CreateExtension.database_forwards)
CreateModel.database_forwards = leaving_out(CreateModel.database_forwards)


class Result(unittest.TextTestResult):
    """A test with parts fails if one of them does."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.outcomes = {}
        self.results = open(os.environ["RESULTS"], "a")

    def note(self, how, test, why=""):
        if test.id() in NOT_OF_THE_SERVER:
            how = "skipped"
        if self.outcomes.get(test.id(), ("ok",))[0] == "ok":
            self.outcomes[test.id()] = (how, " ".join(why.split())[:200])

    def failed(self, test, err):
        lines = [line for line in str(err[1]).splitlines() if line.strip()]
        self.note("failed", test, f"{err[0].__name__}: {lines[0] if lines else ''}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note("ok", test)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note("ok", test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note("failed", test, "it passed, and should not")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note("skipped", test)

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed(test, err)

    def write(self):
        for name, (how, why) in self.outcomes.items():
            self.results.write(f"{how}\t{name}\t{why}\n")
        self.results.flush()
        self.outcomes.clear()

    def stopTest(self, test):
        super().stopTest(test)
        self.write()

    def stopTestRun(self):
        super().stopTestRun()
        # What failed outside of any test, such as what prepares those of a class.
        self.write()


class Runner(DiscoverRunner):
    def get_resultclass(self):
        if self.parallel > 1:
            raise ImproperlyConfigured("results are written by one process")
        return Result
