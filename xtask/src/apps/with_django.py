"""Django: migrations forth and back, its own applications and one of many kinds of fields; queries; inspectdb."""
import io
import os
import sys
import tempfile

from checks import HOST, PORT, check, equal

MODELS = '''
import uuid
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

class Author(models.Model):
    name = models.CharField(max_length=50, unique=True)
    email = models.EmailField(db_index=True)
    meta = models.JSONField(default=dict)
    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="lower_email"),
            models.CheckConstraint(condition=~Q(name=""), name="named"),
        ]

class Tag(models.Model):
    word = models.SlugField(unique=True)

class Post(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    tags = models.ManyToManyField(Tag)
    title = models.CharField(max_length=100, db_comment="the title")
    at = models.DateTimeField(auto_now_add=True)
    words = models.IntegerField(default=0)
    lasts = models.DurationField(null=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    labels = ArrayField(models.CharField(max_length=10), default=list)
    twice = models.GeneratedField(expression=F("words") * 2, output_field=models.IntegerField(), db_persist=True)
    class Meta:
        indexes = [models.Index(fields=["-at"]), models.Index(fields=["title"], condition=Q(words__gt=10), name="long")]
        unique_together = [("author", "title")]
'''
place = tempfile.mkdtemp()
os.mkdir(f"{place}/blog")
open(f"{place}/blog/__init__.py", "w").close()
with open(f"{place}/blog/models.py", "w") as f:
    f.write(MODELS)
sys.path.insert(0, place)

import django
from django.conf import settings

apps = ["auth", "contenttypes", "sessions", "admin", "messages", "postgres"]
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "postgres", "USER": "postgres", "HOST": HOST, "PORT": PORT}},
    INSTALLED_APPS=[f"django.contrib.{a}" for a in apps] + ["blog"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
django.setup()
from django.core.management import call_command
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Sum, Window
from django.db.models.functions import Rank, TruncMonth

VERSION = django.get_version()


def command(*args):
    out = io.StringIO()
    call_command(*args, stdout=out, stderr=out)
    return out.getvalue()


def migrate():
    command("makemigrations", "blog")
    command("migrate")
    assert "No migrations to apply" in command("migrate")


def use():
    from blog.models import Author, Post, Tag

    ann = Author.objects.create(name="Ann", email="Ann@x.y", meta={"k": [1, {"z": 2}]})
    bob = Author.objects.create(name="Bob", email="b@x.y")
    tags = [Tag.objects.create(word=w) for w in "xy"]
    for i in range(5):
        p = Post.objects.create(author=ann if i % 2 else bob, title=f"t{i}", words=i * 10, labels=["l"])
        p.tags.set(tags)
    equal(list(Post.objects.filter(author__name="Ann").order_by("title").values_list("title", "twice")), [("t1", 20), ("t3", 60)])
    sums = Author.objects.annotate(n=Count("post"), w=Sum("post__words")).order_by("name").values_list("name", "n", "w")
    equal(list(sums), [("Ann", 2, 40), ("Bob", 3, 60)])
    rank = Window(Rank(), partition_by="author", order_by=F("words").desc())
    equal([r for _, r in Post.objects.annotate(r=rank).order_by("title").values_list("title", "r")], [3, 2, 2, 1, 1])
    equal(Author.objects.filter(meta__k__1__z=2).count(), 1)
    equal(Post.objects.filter(labels__contains=["l"], tags__word="x").distinct().count(), 5)
    long = Post.objects.filter(author=OuterRef("pk"), words__gt=30)
    equal([a.name for a in Author.objects.filter(Exists(long))], ["Bob"])
    Author.objects.bulk_create([Author(name="Ann", email="n@x.y")], update_conflicts=True, unique_fields=["name"], update_fields=["email"])
    equal(Author.objects.get(name="Ann").email, "n@x.y")
    equal(list(Post.objects.annotate(m=TruncMonth("at")).values("m").annotate(c=Count("*")).values_list("c", flat=True)), [5])
    with transaction.atomic():
        equal(Post.objects.select_for_update().get(words=10).title, "t1")
    equal(len(list(Post.objects.iterator(chunk_size=2))), 5)
    equal(Post.objects.filter(title__icontains="T1").count(), 1)
    equal(ann.delete()[0], 7)


check("Django", VERSION, "migrate, twice", migrate)
check("Django", VERSION, "change and ask", use)
check("Django", VERSION, "inspectdb", lambda: command("inspectdb"))
check("Django", VERSION, "migrate back", lambda: command("migrate", "blog", "zero"))
