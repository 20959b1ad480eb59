// pgjdbc and HikariCP: values of all types, batches, COPY, cursors, metadata, cancel, notifications, TLS, passwords, a restart.

import static java.util.Map.entry;

import com.zaxxer.hikari.*;
import java.io.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.sql.Date;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyManager;
import org.postgresql.util.*;

public final class Drivers {
    private static Connection c;

    private static void run(String name, Checks.Body body) {
        Checks.check("pgjdbc", "postgresql", name, body);
    }

    private static List<List<Object>> rows(ResultSet r, String... columns) throws SQLException {
        List<List<Object>> out = new ArrayList<>();
        while (r.next()) {
            List<Object> row = new ArrayList<>();
            for (String column : columns) row.add(r.getObject(column));
            out.add(row);
        }
        r.close();
        return out;
    }

    private static void types(Connection c) throws Exception {
        for (Checks.Value v : Checks.values()) {
            try (PreparedStatement s = c.prepareStatement("select cast(? as " + v.type() + ")::text, cast(? as " + v.type() + ")::text is null")) {
                s.setObject(1, v.text(), Types.OTHER);
                s.setNull(2, Types.OTHER);
                try (ResultSet r = s.executeQuery(); Statement plain = c.createStatement()) {
                    r.next();
                    ResultSet wanted = plain.executeQuery("select '" + v.text().replace("'", "''") + "'::" + v.type() + "::text");
                    wanted.next();
                    Checks.equal(v.type() + " " + r.getString(1), v.type() + " " + wanted.getString(1));
                    Checks.equal(r.getBoolean(2), true);
                }
            }
        }
    }

    /** Values of the language, as often as it takes until they go in binary. */
    private static void same(Connection c, String type, Object value) throws Exception {
        try (PreparedStatement s = c.prepareStatement("select cast(? as " + type + ")")) {
            for (int n = 0; n < 7; n++) {
                s.setObject(1, value);
                try (ResultSet r = s.executeQuery()) {
                    r.next();
                    Object got = value instanceof byte[] ? r.getBytes(1) : r.getObject(1, value.getClass());
                    Checks.equal(got, value);
                }
            }
        }
    }

    private static void values(String... options) throws Exception {
        try (Connection c = Checks.open(options)) {
            types(c);
            same(c, "bool", true);
            same(c, "int2", (short) -5);
            same(c, "int4", Integer.MIN_VALUE);
            same(c, "int8", Long.MIN_VALUE);
            same(c, "float4", 0.1f);
            same(c, "float8", Double.MIN_VALUE);
            same(c, "numeric", new BigDecimal("-123456789012345678901234567890.12300"));
            same(c, "text", "it's \\ ü 😀");
            same(c, "bytea", new byte[] {0, (byte) 255});
            same(c, "date", LocalDate.of(2024, 2, 29));
            same(c, "date", LocalDate.MAX);
            same(c, "time", LocalTime.of(12, 30, 1, 1000));
            same(c, "timetz", OffsetTime.of(12, 30, 1, 0, ZoneOffset.ofHours(5)));
            same(c, "timestamp", LocalDateTime.of(2024, 2, 29, 1, 2, 3, 4000));
            same(c, "timestamptz", OffsetDateTime.of(2024, 2, 29, 1, 2, 3, 4000, ZoneOffset.UTC));
            same(c, "uuid", UUID.fromString("0188a5eb-4a47-7b1c-8c3d-9a1d2e3f4a5b"));
            same(c, "interval", new PGInterval(1, 2, -3, 4, 5, 6.789));
            for (Map.Entry<String, Object[]> e : Map.<String, Object[]>ofEntries(
                    entry("int4", new Integer[] {1, null, 3}), entry("int8", new Long[] {1L, -1L}), entry("text", new String[] {"a", "b,c", null, "\"", "NULL"}),
                    entry("float8", new Double[] {1.5, Double.NaN}), entry("bool", new Boolean[] {true, null}), entry("numeric", new BigDecimal[] {new BigDecimal("1.20")})).entrySet()) {
                try (PreparedStatement s = c.prepareStatement("select ?::" + e.getKey() + "[]")) {
                    for (int n = 0; n < 7; n++) {
                        s.setArray(1, c.createArrayOf(e.getKey(), e.getValue()));
                        ResultSet r = s.executeQuery();
                        r.next();
                        Checks.equal(r.getArray(1).getArray(), e.getValue());
                    }
                }
            }
            PGobject j = new PGobject();
            j.setType("jsonb");
            j.setValue("{\"a\": [1, null]}");
            same(c, "jsonb", j);
        }
    }

    private static void metadataSetup() throws Exception {
        Checks.run(c, """
            drop schema if exists jm cascade; create schema jm;
            create table jm.parent (a int, b varchar(20), primary key (b, a));
            create table jm.child (id bigint generated always as identity primary key, pa int not null, pb varchar(20), price numeric(10,2) default 1.5, words text[], m apps_mood, at timestamptz,
                twice numeric generated always as (price * 2.0) stored, constraint jm_fk foreign key (pb, pa) references jm.parent on delete cascade on update set null deferrable initially deferred);
            create unique index jm_part on jm.child (pa, lower(pb) desc) where pa > 0;
            comment on table jm.child is 'a child'; comment on column jm.child.price is 'what it costs';
            create view jm.v as select * from jm.child; create materialized view jm.mv as select 1 as one; create sequence jm.s""");
        Checks.equal(c.getMetaData().getDatabaseMajorVersion(), 18);
    }

    private static void metadataParts() throws Exception {
        DatabaseMetaData m = c.getMetaData();
        Checks.equal(rows(m.getTables(null, "jm", "%", new String[] {"TABLE", "VIEW", "MATERIALIZED VIEW", "SEQUENCE"}), "TABLE_NAME", "TABLE_TYPE", "REMARKS").toString(),
            "[[mv, MATERIALIZED VIEW, null], [child_id_seq, SEQUENCE, null], [s, SEQUENCE, null], [child, TABLE, a child], [parent, TABLE, null], [v, VIEW, null]]");
        Checks.equal(rows(m.getColumns(null, "jm", "child", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "NULLABLE", "COLUMN_DEF", "REMARKS", "IS_AUTOINCREMENT", "IS_GENERATEDCOLUMN").toString(),
            "[[id, -5, int8, 19, 0, 0, null, null, YES, NO], [pa, 4, int4, 10, 0, 0, null, null, NO, NO], [pb, 12, varchar, 20, 0, 1, null, null, NO, NO], "
                + "[price, 2, numeric, 10, 2, 1, 1.5, what it costs, NO, NO], [words, 2003, _text, 2147483647, 0, 1, null, null, NO, NO], "
                + "[m, 12, apps_mood, 2147483647, 0, 1, null, null, NO, NO], [at, 93, timestamptz, 35, 6, 1, null, null, NO, NO], "
                + "[twice, 2, numeric, 0, null, 1, (price * 2.0), null, NO, YES]]");
        Checks.equal(rows(m.getPrimaryKeys(null, "jm", "parent"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME").toString(), "[[b, 1, parent_pkey], [a, 2, parent_pkey]]");
        Checks.equal(rows(m.getImportedKeys(null, "jm", "child"), "PKTABLE_NAME", "PKCOLUMN_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "FK_NAME", "PK_NAME", "DEFERRABILITY").toString(),
            "[[parent, b, pb, 1, 2, 0, jm_fk, parent_pkey, 5], [parent, a, pa, 2, 2, 0, jm_fk, parent_pkey, 5]]");
        Checks.equal(rows(m.getExportedKeys(null, "jm", "parent"), "FKTABLE_NAME", "FKCOLUMN_NAME").toString(), "[[child, pb], [child, pa]]");
        Checks.equal(rows(m.getCrossReference(null, "jm", "parent", null, "jm", "child"), "FKTABLE_NAME").size(), 2);
        Checks.equal(rows(m.getIndexInfo(null, "jm", "child", false, false), "INDEX_NAME", "NON_UNIQUE", "ORDINAL_POSITION", "COLUMN_NAME", "ASC_OR_DESC", "FILTER_CONDITION").toString(),
            "[[child_pkey, false, 1, id, A, null], [jm_part, false, 1, pa, A, (pa > 0)], [jm_part, false, 2, lower((pb)::text), D, (pa > 0)]]");
        Checks.equal(rows(m.getBestRowIdentifier(null, "jm", "parent", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME").size(), 2);
        Checks.equal(rows(m.getSchemas(null, "jm"), "TABLE_SCHEM").toString(), "[[jm]]");
        Checks.equal(rows(m.getCatalogs(), "TABLE_CAT").toString().contains(Checks.DATABASE), true);
        Checks.equal(rows(m.getTypeInfo(), "TYPE_NAME").toString().contains("timestamptz"), true);
        Checks.equal(rows(m.getUDTs(null, null, "apps_even", null), "TYPE_NAME", "DATA_TYPE").toString(), "[[apps_even, 2001]]");
        Checks.equal(rows(m.getTablePrivileges(null, "jm", "child"), "GRANTEE", "PRIVILEGE").toString().contains("[" + Checks.USER + ", SELECT]"), true);
        Checks.equal(rows(m.getColumnPrivileges(null, "jm", "child", "pa"), "GRANTEE", "PRIVILEGE").toString().contains("[" + Checks.USER + ", UPDATE]"), true);
        Checks.equal(rows(m.getFunctions(null, "pg_catalog", "lower"), "FUNCTION_NAME").size() > 0, true);
        rows(m.getFunctionColumns(null, "pg_catalog", "lower", null), "COLUMN_NAME");
        rows(m.getProcedures(null, null, "%"), "PROCEDURE_NAME");
        rows(m.getProcedureColumns(null, null, "%", null), "COLUMN_NAME");
        rows(m.getClientInfoProperties(), "NAME");
        rows(m.getTableTypes(), "TABLE_TYPE");
        rows(m.getVersionColumns(null, "jm", "child"), "COLUMN_NAME");
        for (String words : List.of(m.getSQLKeywords(), m.getNumericFunctions(), m.getStringFunctions(), m.getSystemFunctions(), m.getTimeDateFunctions())) Checks.equal(words.isEmpty(), false);
        Checks.equal(List.of(m.getMaxColumnNameLength(), m.getMaxIndexLength() >= 0, m.getDefaultTransactionIsolation()), List.of(63, true, 2));
        try (PreparedStatement s = c.prepareStatement("select id, price, m from jm.child where id = ?")) {
            ResultSetMetaData r = s.getMetaData();
            Checks.equal(List.of(r.getColumnName(2), r.getTableName(2).length() >= 0, r.getPrecision(2), r.getScale(2), r.isNullable(1), r.isAutoIncrement(1), r.getColumnTypeName(3).contains("apps_mood")), List.of("price", true, 10, 2, 0, true, true));
            Checks.equal(s.getParameterMetaData().getParameterTypeName(1), "int8");
        }
        Checks.run(c, "drop schema jm cascade");
    }

    public static void main(String[] args) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        c = Checks.open();
        Checks.run(c, Checks.SETUP);
        run("types", () -> values());
        run("types in binary from the first time on", () -> values("prepareThreshold=-1"));
        run("types in simple queries", () -> values("preferQueryMode=simple"));
        run("types without prepared statements", () -> values("prepareThreshold=0"));
        run("errors with their fields", () -> {
            ServerErrorMessage e = ((PSQLException) Checks.fails("23505", () -> Checks.run(c, "insert into apps_d (u) values ('x'), ('x')"))).getServerErrorMessage();
            Checks.equal(List.of(e.getSeverity(), e.getSchema(), e.getTable(), e.getConstraint(), e.getDetail()), List.of("ERROR", "public", "apps_d", "apps_d_u_key", "Key (u)=(x) already exists."));
            Checks.fails("42P01", () -> Checks.run(c, "select * from nothing"));
            Checks.fails("22012", () -> Checks.one(c, "select 1 / ?", 0));
        });
        run("batches and generated keys", () -> {
            for (String rewritten : List.of("false", "true")) {
                try (Connection b = Checks.open("reWriteBatchedInserts=" + rewritten); PreparedStatement s = b.prepareStatement("insert into apps_d (t) values (?)", Statement.RETURN_GENERATED_KEYS)) {
                    for (int n = 0; n < 500; n++) {
                        s.setString(1, "row " + n);
                        s.addBatch();
                    }
                    Checks.equal(s.executeBatch().length, 500);
                    int n = 0;
                    for (ResultSet r = s.getGeneratedKeys(); r.next(); ) n += r.getInt("id") > 0 ? 1 : 0;
                    Checks.equal(n, 500);
                    Checks.equal(Checks.one(b, "with d as (delete from apps_d where t like 'row%' returning 1) select count(*) from d"), 500L);
                }
            }
        });
        run("a cursor by fetch size, and one to scroll and update", () -> {
            c.setAutoCommit(false);
            try (PreparedStatement s = c.prepareStatement("select g from generate_series(1, 1000) g")) {
                s.setFetchSize(7);
                ResultSet r = s.executeQuery();
                int n = 0;
                while (r.next()) n += r.getInt(1);
                Checks.equal(n, 500500);
            }
            Checks.run(c, "insert into apps_d (t) values ('one'), ('two')");
            try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
                ResultSet r = s.executeQuery("select id, t from apps_d order by id");
                r.last();
                r.updateString("t", "changed");
                r.updateRow();
                r.moveToInsertRow();
                r.updateString("t", "new");
                r.insertRow();
                Checks.equal(Checks.one(c, "select string_agg(t, ',' order by id) from apps_d where t in ('one', 'changed', 'new')"), "one,changed,new");
            }
            c.rollback();
            c.setAutoCommit(true);
        });
        run("transactions and savepoints", () -> {
            c.setAutoCommit(false);
            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Savepoint s = c.setSavepoint("a");
            Checks.fails("22012", () -> Checks.run(c, "select 1/0"));
            Checks.fails("25P02", () -> Checks.run(c, "select 1"));
            c.rollback(s);
            Checks.run(c, "insert into apps_d (t) values ('gone')");
            c.rollback();
            c.setAutoCommit(true);
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            c.setReadOnly(true);
            c.setAutoCommit(false);
            Checks.fails("25006", () -> Checks.run(c, "insert into apps_d (t) values ('no')"));
            c.rollback();
            c.setAutoCommit(true);
            c.setReadOnly(false);
        });
        run("an error with a savepoint around each statement", () -> {
            try (Connection a = Checks.open("autosave=always")) {
                a.setAutoCommit(false);
                Checks.run(a, "insert into apps_d (t) values ('kept')");
                Checks.fails("22012", () -> Checks.run(a, "select 1/0"));
                Checks.equal(Checks.one(a, "select count(*) from apps_d where t = 'kept'"), 1L);
                a.rollback();
            }
        });
        run("prepared statements across changes of the table", () -> {
            Checks.run(c, "drop table if exists apps_p; create table apps_p (a int); insert into apps_p values (1)");
            try (PreparedStatement s = c.prepareStatement("select * from apps_p")) {
                for (int n = 0; n < 7; n++) s.executeQuery().close();
                Checks.run(c, "create index on apps_p (a); alter table apps_p add b int default 2");
                // Outside of a transaction it prepares it again.
                ResultSet r = s.executeQuery();
                r.next();
                Checks.equal(r.getInt("b"), 2);
                Checks.run(c, "alter table apps_p alter b type bigint");
                Checks.equal(s.executeQuery().getMetaData().getColumnTypeName(2), "int8");
                Checks.run(c, "drop table apps_p");
                Checks.fails("42P01", s::executeQuery);
            }
        });
        run("COPY as text, csv and binary", () -> {
            CopyManager copy = c.unwrap(PGConnection.class).getCopyAPI();
            StringBuilder text = new StringBuilder();
            for (int n = 0; n < 5000; n++) text.append("row ").append(n).append("\t\\N\n");
            Checks.run(c, "truncate apps_d");
            Checks.equal(copy.copyIn("copy apps_d (t, j) from stdin", new StringReader(text.toString())), 5000L);
            for (String options : List.of("", "(format csv, header)", "(format binary)")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                copy.copyOut("copy (select t, j from apps_d order by id) to stdout " + options, out);
                if (options.isEmpty()) Checks.equal(out.toString(StandardCharsets.UTF_8), text.toString());
                Checks.run(c, "create temp table apps_copy (t text, j jsonb)");
                Checks.equal(copy.copyIn("copy apps_copy from stdin " + options, new ByteArrayInputStream(out.toByteArray())), 5000L);
                Checks.run(c, "drop table apps_copy");
            }
            Checks.fails("22P02", () -> copy.copyIn("copy apps_d (j) from stdin", new StringReader("[\n")));
            Checks.equal(Checks.one(c, "select 1"), 1);
        });
        run("cancel and timeouts", () -> {
            try (Statement s = c.createStatement()) {
                new Timer(true).schedule(new TimerTask() {
                    public void run() {
                        try {
                            s.cancel();
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }, 300);
                Checks.fails("57014", () -> s.execute("select pg_sleep(60)"));
            }
            try (Statement s = c.createStatement()) {
                s.setQueryTimeout(1);
                Checks.fails("57014", () -> s.execute("select pg_sleep(60)"));
            }
        });
        run("notifications", () -> {
            Checks.run(c, "listen apps_ch");
            try (Connection other = Checks.open()) {
                Checks.run(other, "select pg_notify('apps_ch', 'hello')");
            }
            PGNotification[] heard = c.unwrap(PGConnection.class).getNotifications(10000);
            Checks.equal(heard[0].getParameter(), "hello");
        });
        run("escapes and functions of JDBC", () -> {
            Checks.equal(Checks.one(c, "select {fn concat('a', {fn ucase('b')})}"), "aB");
            Checks.equal(Checks.one(c, "select {d '2024-02-29'}").toString(), "2024-02-29");
            Checks.equal(Checks.one(c, "select {fn timestampadd(SQL_TSI_DAY, 1, {ts '2024-02-28 00:00:00'})}").toString(), "2024-02-29 00:00:00.0");
            try (CallableStatement s = c.prepareCall("{? = call lower(?)}")) {
                s.registerOutParameter(1, Types.VARCHAR);
                s.setString(2, "ABC");
                s.execute();
                Checks.equal(s.getString(1), "abc");
            }
        });
        run("metadata", () -> {
            metadataSetup();
            metadataParts();
        });
        if (Checks.ROOT != null) {
            run("TLS, verify-full", () -> {
                try (Connection t = Checks.open("sslmode=verify-full", "sslrootcert=" + Checks.ROOT)) {
                    Checks.equal(Checks.one(t, "select ssl from pg_stat_ssl where pid = pg_backend_pid()"), true);
                }
                Checks.fails("08006", () -> Checks.open("sslmode=verify-full"));
            });
            run("a password, SCRAM", () -> {
                String password = "password=" + Checks.SCRAM_PASSWORD, user = "user=" + Checks.SCRAM_USER;
                try (Connection t = Checks.open(user, password)) {
                    Checks.equal(Checks.one(t, "select current_user::text"), Checks.SCRAM_USER);
                }
                Checks.fails("28P01", () -> Checks.open(user, password + "x"));
            });
            run("a password bound to TLS, SCRAM-SHA-256-PLUS", () ->
                Checks.open("user=" + Checks.SCRAM_USER, "password=" + Checks.SCRAM_PASSWORD, "sslmode=verify-full", "sslrootcert=" + Checks.ROOT, "channelBinding=require").close());
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Checks.URL);
        config.setUsername(Checks.USER);
        config.setMaximumPoolSize(3);
        config.setConnectionTimeout(20000);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Checks.check("HikariCP", "HikariCP", "twenty at once on three connections", () -> {
                List<Thread> threads = new ArrayList<>();
                List<Object> got = Collections.synchronizedList(new ArrayList<>());
                for (int n = 0; n < 20; n++) {
                    int wanted = n;
                    threads.add(new Thread(() -> {
                        try (Connection one = pool.getConnection()) {
                            got.add((int) Checks.one(one, "select ?::int", wanted) == wanted);
                        } catch (SQLException e) {
                            got.add(e);
                        }
                    }));
                }
                for (Thread t : threads) t.start();
                for (Thread t : threads) t.join();
                Checks.equal(got, Collections.nCopies(20, true));
            });
            Checks.check("HikariCP", "HikariCP", "a connection comes back as it was", () -> {
                try (Connection one = pool.getConnection()) {
                    one.setAutoCommit(false);
                    one.setReadOnly(true);
                    one.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                    Checks.one(one, "select 1");
                }
                try (Connection one = pool.getConnection()) {
                    Checks.equal(List.of(one.getAutoCommit(), one.isReadOnly(), one.getTransactionIsolation(), one.isValid(5)), List.of(true, false, Connection.TRANSACTION_READ_COMMITTED, true));
                }
            });
            if (Checks.ROOT != null) {
                Checks.check("HikariCP", "HikariCP", "a restart of the server", () -> {
                    Checks.restart();
                    Thread.sleep(1000);
                    try (Connection one = pool.getConnection()) {
                        Checks.equal(Checks.one(one, "select 1"), 1);
                    }
                });
            }
        }
    }
}
