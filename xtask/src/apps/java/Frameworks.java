// Flyway, Liquibase and Hibernate: migrations forth, again, validated and back; tables made of classes, updated and validated; queries.

import jakarta.persistence.*;
import java.math.BigDecimal;
import java.nio.file.*;
import java.sql.*;
import java.time.*;
import java.util.*;
import java.util.logging.*;
import liquibase.*;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.diff.DiffGeneratorFactory;
import liquibase.diff.compare.CompareControl;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.annotations.*;
import org.hibernate.cfg.Configuration;
import org.hibernate.type.SqlTypes;

public final class Frameworks {
    private static Connection c;

    private static Path file(Path folder, String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text);
    }

    private static void flyway() throws Exception {
        Path folder = Files.createTempDirectory("flyway");
        file(folder, "V1__first.sql", "create table author (id bigint generated always as identity primary key, name text not null unique);\ncreate index on author (lower(name));\n");
        file(folder, "V2__second.sql", "alter table author add column kind varchar(10) default 'a';\ninsert into author (name) values ('Ann; \"Bob\"');\ncreate view v as select * from author;\n");
        file(folder, "V3__alone.sql", "create index concurrently author_kind on author (kind);\n");
        file(folder, "V3__alone.sql.conf", "executeInTransaction=false\n");
        file(folder, "R__view.sql", "create or replace view w as select name from author;\n");
        Runnable clean = () -> {
            try {
                Checks.run(c, "drop schema if exists fw cascade");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        };
        clean.run();
        Flyway f = Flyway.configure().dataSource(Checks.URL, Checks.USER, "").locations("filesystem:" + folder).schemas("fw").cleanDisabled(false)
            .configuration(Map.of("flyway.postgresql.transactional.lock", "false")).load();
        Checks.check("Flyway", "flyway-core", "migrate, twice", () -> {
            Checks.equal(f.migrate().migrationsExecuted, 4);
            Checks.equal(f.migrate().migrationsExecuted, 0);
            Checks.equal(Checks.one(c, "select name from fw.w"), "Ann; \"Bob\"");
        });
        Checks.check("Flyway", "flyway-core", "two at once wait for each other", () -> {
            file(folder, "V4__more.sql", "create table more (a int);\nselect pg_sleep(0.5);\n");
            List<Thread> threads = new ArrayList<>();
            List<Object> got = Collections.synchronizedList(new ArrayList<>());
            for (int n = 0; n < 2; n++) {
                Thread t = new Thread(() -> {
                    try {
                        got.add(f.migrate().migrationsExecuted);
                    } catch (FlywayException e) {
                        got.add(String.valueOf(e));
                    }
                });
                t.start();
                threads.add(t);
            }
            for (Thread t : threads) t.join();
            Checks.equal(new HashSet<>(got), Set.of(0, 1));
        });
        Checks.check("Flyway", "flyway-core", "validate, info and repair", () -> {
            f.validate();
            file(folder, "V4__more.sql", "create table other (a int);\n");
            Checks.equal(f.validateWithResult().validationSuccessful, false);
            f.repair();
            f.validate();
            Checks.equal(f.info().applied().length, 6);
        });
        Checks.check("Flyway", "flyway-core", "a migration that fails is undone", () -> {
            file(folder, "V5__wrong.sql", "create table gone (a int);\nselect 1/0;\n");
            try {
                f.migrate();
                throw new AssertionError("it did not fail");
            } catch (FlywayException e) {
                Checks.equal(e.getMessage().contains("22012"), true);
            }
            Checks.equal(Checks.one(c, "select to_regclass('fw.gone')::text"), null);
            Files.delete(folder.resolve("V5__wrong.sql"));
        });
        Checks.check("Flyway", "flyway-core", "clean", () -> {
            f.clean();
            Checks.equal(Checks.one(c, "select count(*) from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = 'fw'"), 0L);
        });
        clean.run();
    }

    private static final String CHANGES = """
        databaseChangeLog:
        - changeSet: {id: 1, author: a, changes: [
            {createTable: {tableName: lq_author, remarks: authors, columns: [
              {column: {name: id, type: bigint, autoIncrement: true, constraints: {primaryKey: true}}},
              {column: {name: name, type: varchar(30), constraints: {nullable: false, unique: true, uniqueConstraintName: lq_name}}},
              {column: {name: made, type: timestamp with time zone, defaultValueComputed: now()}},
              {column: {name: data, type: jsonb}}]}},
            {createTable: {tableName: lq_post, columns: [
              {column: {name: id, type: uuid, constraints: {primaryKey: true}}},
              {column: {name: author, type: bigint}}, {column: {name: price, type: 'numeric(10,2)', defaultValueNumeric: 1.5}}, {column: {name: done, type: boolean, defaultValueBoolean: false}}]}},
            {addForeignKeyConstraint: {baseTableName: lq_post, baseColumnNames: author, referencedTableName: lq_author, referencedColumnNames: id, constraintName: lq_fk, onDelete: CASCADE}},
            {createIndex: {tableName: lq_post, indexName: lq_index, columns: [{column: {name: author}}, {column: {name: price, descending: true}}]}}]}
        - changeSet: {id: 2, author: a, changes: [
            {addColumn: {tableName: lq_author, columns: [{column: {name: more, type: int, defaultValueNumeric: 5, constraints: {nullable: false}}}]}},
            {modifyDataType: {tableName: lq_author, columnName: name, newDataType: varchar(60)}},
            {renameColumn: {tableName: lq_post, oldColumnName: done, newColumnName: finished}},
            {createSequence: {sequenceName: lq_numbers, startValue: 5, incrementBy: 2}},
            {createView: {viewName: lq_view, selectQuery: select name from lq_author}},
            {insert: {tableName: lq_author, columns: [{column: {name: name, value: Ann}}]}}],
            rollback: [{dropView: {viewName: lq_view}}, {dropSequence: {sequenceName: lq_numbers}}, {renameColumn: {tableName: lq_post, oldColumnName: finished, newColumnName: done}}, {dropColumn: {tableName: lq_author, columnName: more}}]}
        """;

    private static void liquibase() throws Exception {
        Checks.run(c, "drop view if exists lq_view; drop table if exists lq_post, lq_author, databasechangelog, databasechangeloglock; drop sequence if exists lq_numbers");
        Path folder = Files.createTempDirectory("liquibase");
        file(folder, "changes.yaml", CHANGES);
        liquibase.database.Database d = DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(Checks.open()));
        Liquibase l = new Liquibase("changes.yaml", new DirectoryResourceAccessor(folder), d);
        Checks.check("Liquibase", "liquibase-core", "update, twice", () -> {
            l.update(new Contexts());
            Checks.equal(l.listUnrunChangeSets(new Contexts(), new LabelExpression()).size(), 0);
            l.update(new Contexts());
            Checks.equal(Checks.one(c, "select name || more from lq_view join lq_author using (name)"), "Ann5");
        });
        Checks.check("Liquibase", "liquibase-core", "compare with itself", () -> {
            var snapshot = liquibase.snapshot.SnapshotGeneratorFactory.getInstance().createSnapshot(d.getDefaultSchema(), d, new liquibase.snapshot.SnapshotControl(d));
            var again = liquibase.snapshot.SnapshotGeneratorFactory.getInstance().createSnapshot(d.getDefaultSchema(), d, new liquibase.snapshot.SnapshotControl(d));
            var diff = DiffGeneratorFactory.getInstance().compare(snapshot, again, CompareControl.STANDARD);
            Checks.equal(diff.areEqual(), true);
            var table = snapshot.get(new liquibase.structure.core.Table(null, null, "lq_author"));
            Checks.equal(table.getColumns().size(), 5);
            Checks.equal(table.getPrimaryKey().getColumnNames(), "id");
            Checks.equal(snapshot.get(liquibase.structure.core.ForeignKey.class).stream().filter(k -> k.getName().equals("lq_fk")).count(), 1L);
            Checks.equal(snapshot.get(liquibase.structure.core.Index.class).stream().filter(k -> "lq_index".equals(k.getName())).map(k -> k.getColumns().size()).toList(), List.of(2));
            Checks.equal(snapshot.get(liquibase.structure.core.UniqueConstraint.class).stream().filter(k -> "lq_name".equals(k.getName())).count(), 1L);
        });
        Checks.check("Liquibase", "liquibase-core", "roll back", () -> {
            l.rollback(2, "");
            Checks.equal(Checks.one(c, "select to_regclass('lq_author')::text"), null);
        });
        d.close();
        Checks.run(c, "drop table if exists databasechangelog, databasechangeloglock");
    }

    public enum Kind { A, B }

    @Entity(name = "Author") @jakarta.persistence.Table(name = "hb_author", indexes = @jakarta.persistence.Index(name = "hb_index", columnList = "kind, name desc"))
    public static class Author {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;
        @Column(length = 30, nullable = false, unique = true) public String name;
        @Enumerated(EnumType.STRING) public Kind kind = Kind.A;
        @Enumerated @JdbcTypeCode(SqlTypes.NAMED_ENUM) public Kind named = Kind.B;
        @JdbcTypeCode(SqlTypes.JSON) public Map<String, Object> data = new HashMap<>();
        @Version public int version;
        @CreationTimestamp public OffsetDateTime made;
        @OneToMany(mappedBy = "author", cascade = jakarta.persistence.CascadeType.ALL, orphanRemoval = true) @jakarta.persistence.OrderBy("title") public List<Post> posts = new ArrayList<>();
    }

    @Entity(name = "Post") @jakarta.persistence.Table(name = "hb_post")
    public static class Post {
        @Id @GeneratedValue public UUID id;
        @ManyToOne(fetch = FetchType.LAZY) @OnDelete(action = OnDeleteAction.CASCADE) public Author author;
        public String title;
        @Column(precision = 10, scale = 2) public BigDecimal price;
        public List<String> words;
        public byte[] bytes;
        public Duration lasts;
        public LocalDate on_day;
        @ElementCollection public Set<String> tags = new HashSet<>();
    }

    /** The author as it is later. */
    @Entity(name = "Author") @jakarta.persistence.Table(name = "hb_author")
    public static class Later {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;
        @Column(length = 30, nullable = false, unique = true) public String name;
        @ColumnDefault("5") public Integer more;
        @ManyToOne public Later mentor;
    }

    @Entity(name = "Counted") @jakarta.persistence.Table(name = "hb_counted")
    public static class Counted {
        @Id @GeneratedValue(strategy = GenerationType.SEQUENCE) @SequenceGenerator(name = "s", sequenceName = "hb_numbers", allocationSize = 10) public Long id;
    }

    private static SessionFactory hibernate(String mode, Class<?>... classes) {
        Configuration h = new Configuration().setProperty("hibernate.connection.url", Checks.URL).setProperty("hibernate.connection.username", Checks.USER)
            .setProperty("hibernate.hbm2ddl.auto", mode).setProperty("hibernate.hbm2ddl.halt_on_error", "true").setProperty("hibernate.jdbc.batch_size", "10");
        for (Class<?> each : classes) h.addAnnotatedClass(each);
        return h.buildSessionFactory();
    }

    private static void withHibernate() throws Exception {
        Class<?>[] first = {Author.class, Post.class, Counted.class};
        Checks.run(c, "drop table if exists hb_post_tags, \"Post_tags\", post_tags, hb_post, hb_author, hb_counted cascade; drop sequence if exists hb_numbers; drop type if exists Kind cascade");
        Checks.check("Hibernate", "hibernate-core", "update, twice, and validate", () -> {
            hibernate("update", first).close();
            hibernate("update", first).close();
            hibernate("validate", first).close();
        });
        Checks.check("Hibernate", "hibernate-core", "write and read", () -> {
            try (SessionFactory f = hibernate("none", first)) {
                f.inTransaction(s -> {
                    Author ann = new Author();
                    ann.name = "Ann";
                    ann.data.put("x", List.of(1, 2));
                    for (int n = 1; n <= 3; n++) {
                        Post p = new Post();
                        p.author = ann;
                        p.title = "t" + n;
                        p.price = new BigDecimal(n + ".50");
                        p.words = List.of("a", "b,c");
                        p.bytes = new byte[] {0, -1};
                        p.lasts = Duration.ofSeconds(90);
                        p.on_day = LocalDate.of(2024, 2, 29);
                        p.tags.addAll(List.of("x", "y"));
                        ann.posts.add(p);
                    }
                    s.persist(ann);
                    for (int n = 0; n < 25; n++) s.persist(new Counted());
                });
                f.inTransaction(s -> {
                    Author ann = s.createQuery("from Author a join fetch a.posts where a.name = :n", Author.class).setParameter("n", "Ann").getSingleResult();
                    Post p = ann.posts.get(0);
                    Checks.equal(List.of(ann.named, p.price, p.words, p.bytes[1], p.lasts, p.on_day, p.tags.size()), List.of(Kind.B, new BigDecimal("1.50"), List.of("a", "b,c"), (byte) -1, Duration.ofSeconds(90), LocalDate.of(2024, 2, 29), 2));
                    Checks.equal(s.createQuery("select sum(p.price) over (order by p.title) from Post p", BigDecimal.class).setMaxResults(2).getResultList(), List.of(new BigDecimal("1.50"), new BigDecimal("4.00")));
                    Checks.equal(s.createQuery("select listagg(p.title, ',') within group (order by p.title) from Post p", String.class).getSingleResult(), "t1,t2,t3");
                    Checks.equal(s.createQuery("select count(*) from Post p where array_contains(p.words, 'a') and p.on_day + 1 day > :d", Long.class).setParameter("d", LocalDate.of(2024, 2, 29)).getSingleResult(), 3L);
                    Checks.equal(s.createQuery("select title from Post where author.name ilike 'A%' order by title desc offset 1 rows fetch first 1 rows only", String.class).getResultList(), List.of("t2"));
                    Checks.equal(s.createQuery("from Author", Author.class).setLockMode(LockModeType.PESSIMISTIC_WRITE).getResultList().size(), 1);
                    Checks.equal(s.createMutationQuery("update Post set price = price * 2 where title = 't1'").executeUpdate(), 1);
                    Checks.equal(s.createMutationQuery("insert into Author (name, kind, named, version) values ('Ann', 'A', 'B', 0) on conflict (name) do update set version = 7").executeUpdate(), 1);
                    Checks.equal(s.createQuery("select p from Post p", Post.class).setFetchSize(1).getResultStream().count(), 3L);
                });
                try {
                    f.inTransaction(s -> {
                        Author again = new Author();
                        again.name = "Ann";
                        s.persist(again);
                    });
                    throw new AssertionError("it did not fail");
                } catch (org.hibernate.exception.ConstraintViolationException e) {
                    Checks.equal(e.getSQLState(), "23505");
                }
                f.inTransaction(s -> s.remove(s.createQuery("from Author", Author.class).getSingleResult()));
            }
        });
        Checks.check("Hibernate", "hibernate-core", "update to what has changed, twice, and validate", () -> {
            for (String mode : List.of("update", "update", "validate")) hibernate(mode, Later.class).close();
        });
        Checks.check("Hibernate", "hibernate-core", "drop and create, with casts of an enum", () -> {
            Checks.run(c, "drop table if exists hb_author cascade; drop type if exists Kind cascade");
            hibernate("create-drop", first).close();
        });
        Checks.check("Hibernate", "hibernate-core", "drop and create", () -> {
            Checks.run(c, "drop table if exists hb_post_tags, \"Post_tags\", post_tags, hb_post, hb_author cascade; drop type if exists Kind cascade");
            hibernate("create-drop", Later.class, Counted.class).close();
            Checks.equal(Checks.one(c, "select to_regclass('hb_author')::text"), null);
        });
    }

    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().reset();
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        c = Checks.open();
        flyway();
        java.io.PrintStream out = System.out;
        liquibase();
        withHibernate();
        System.exit(0);
    }
}
