// What the programs beside this share: a check has a name, and passes unless it throws or takes a minute.

import java.io.*;
import java.nio.file.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;

final class Checks {
    static final String HOST = System.getenv("PGHOST"), PORT = System.getenv("PGPORT"), USER = System.getenv("PGUSER"), DATABASE = System.getenv("PGDATABASE");
    static final String URL = "jdbc:postgresql://" + HOST + ":" + PORT + "/" + DATABASE;
    /** A certificate authority, and a role that has to show a password; null: the server has no such things. */
    static final String ROOT = System.getenv("APPS_ROOT_CERT"), SCRAM_USER = System.getenv("APPS_USER"), SCRAM_PASSWORD = System.getenv("APPS_PASSWORD");
    static final String SETUP = """
        drop table if exists apps_d; drop domain if exists apps_even cascade; drop type if exists apps_mood cascade;
        create type apps_mood as enum ('sad', 'ok', 'not so good');
        create domain apps_even as int4 check (value % 2 = 0);
        create table apps_d (id int generated always as identity primary key, m apps_mood, t text, j jsonb, u text unique)""";

    record Value(String type, String text) {}

    interface Body {
        void run() throws Exception;
    }

    static List<Value> values() throws IOException {
        List<Value> out = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(System.getenv("APPS_VALUES")))) {
            if (line.startsWith("#") || !line.contains("\t")) continue;
            String[] parts = line.split("\t", 2);
            out.add(new Value(parts[0], parts[1].replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace('\0', '\\')));
        }
        return out;
    }

    /** The version in the name of a package's archive. */
    static String version(String artifact) {
        for (String jar : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(jar).getFileName().toString();
            if (name.matches(artifact + "-\\d.*\\.jar")) return name.substring(artifact.length() + 1, name.length() - 4);
        }
        return "?";
    }

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(r -> {
        Thread t = new Thread(r);
        t.setDaemon(true);
        return t;
    });

    static void check(String client, String artifact, String name, Body body) {
        String how = "ok", why = "";
        try {
            THREADS.submit(() -> {
                body.run();
                return null;
            }).get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            Throwable cause = e;
            while (cause.getCause() != null && !(cause instanceof SQLException)) cause = cause.getCause();
            String where = "";
            for (Throwable t = e; t != null; t = t.getCause()) {
                for (StackTraceElement s : t.getStackTrace()) {
                    if (where.isEmpty() && List.of("Drivers.java", "Frameworks.java", "Applications.java").contains(s.getFileName())) where = s.getFileName() + ":" + s.getLineNumber();
                }
            }
            how = "FAILED";
            why = ((cause instanceof SQLException s ? s.getSQLState() + " " : "") + cause).replaceAll("\\s+", " ");
            why = why.substring(0, Math.min(250, why.length())) + " (" + where + ")";
        }
        System.out.println(String.join("\t", how, client, version(artifact), name, why));
    }

    static void equal(Object got, Object wanted) {
        if (!Objects.deepEquals(got, wanted)) throw new AssertionError(got + " is not " + wanted);
    }

    /** What must fail, and how. */
    static SQLException fails(String code, Body body) throws Exception {
        try {
            body.run();
        } catch (SQLException e) {
            equal(e.getSQLState(), code);
            return e;
        }
        throw new AssertionError("it did not fail with " + code);
    }

    static Connection open(String... options) throws SQLException {
        Properties p = new Properties();
        p.setProperty("user", USER);
        for (String o : options) p.setProperty(o.split("=", 2)[0], o.split("=", 2)[1]);
        return DriverManager.getConnection(URL, p);
    }

    static Object one(Connection c, String sql, Object... params) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < params.length; i++) s.setObject(i + 1, params[i]);
            try (ResultSet r = s.executeQuery()) {
                r.next();
                return r.getObject(1);
            }
        }
    }

    static void run(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

    /** Whoever runs the checks restarts the server, and says when it is there again. */
    static void restart() throws IOException {
        System.out.println("restart");
        INPUT.readLine();
    }
}
