// jOOQ with its code generator, and what keeps jobs and processes in tables: Quartz, db-scheduler, Spring Batch, Flowable.

import static org.jooq.impl.DSL.*;

import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.Stream;
import org.jooq.*;
import org.jooq.codegen.GenerationTool;
import org.jooq.impl.SQLDataType;
import org.jooq.meta.jaxb.*;
import org.jooq.meta.jaxb.Configuration;
import org.jooq.meta.jaxb.Generator;

public final class Applications {
    private static Connection c;

    private static final String SCHEMA = """
        drop view if exists jq_v; drop table if exists jq_y, jq_x cascade; drop type if exists jq_kind cascade; drop domain if exists jq_word; drop sequence if exists jq_s;
        create type jq_kind as enum ('x', 'y');
        create domain jq_word as varchar(10) check (value <> '');
        create sequence jq_s increment 5 start 7;
        create table jq_x (id int generated always as identity primary key, kind jq_kind not null default 'x', word jq_word, n numeric(10, 2) default 1.5, t timestamptz(3) default now(),
          words text[] default '{}', data jsonb, g int generated always as (1 + 1) stored, span interval, at inet, bits bit varying(5), next int default nextval('jq_s'), kinds jq_kind[],
          u uuid default gen_random_uuid(), c char(3), v varchar(20) collate "C" unique, constraint jq_positive check (n > 0));
        comment on table jq_x is 'table';
        comment on column jq_x.kind is 'kind';
        create table jq_y (a int, b text, x int not null references jq_x on delete cascade deferrable initially deferred, unique nulls not distinct (x, b), primary key (a, b));
        create index jq_i on jq_y (lower(b), a desc nulls last) include (x) where a > 3;
        create view jq_v as select x.id, y.b, x.data -> 'x' as j from jq_x x join jq_y y on y.x = x.id""";

    private static void jooqGenerator() {
        Checks.check("jOOQ", "jooq", "classes of a schema", () -> {
            for (String s : SCHEMA.split(";\\s*\n?")) Checks.run(c, s);
            Path out = Files.createTempDirectory("jooq");
            GenerationTool.generate(new Configuration().withLogging(Logging.ERROR).withOnError(OnError.FAIL)
                .withJdbc(new Jdbc().withDriver("org.postgresql.Driver").withUrl(Checks.URL).withUser(Checks.USER))
                .withGenerator(new Generator()
                    .withDatabase(new Database().withName("org.jooq.meta.postgres.PostgresDatabase").withInputSchema("public").withIncludes("jq_.*").withIncludeSystemSequences(true))
                    .withGenerate(new Generate().withComments(true).withPojos(true))
                    .withTarget(new Target().withPackageName("made").withDirectory(out.toString()))));
            try (Stream<Path> files = Files.walk(out)) {
                Set<String> names = new TreeSet<>();
                files.filter(Files::isRegularFile).forEach(f -> names.add(out.resolve("made").relativize(f).toString()));
                for (String wanted : List.of("enums/JqKind.java", "tables/JqX.java", "tables/JqV.java", "tables/records/JqYRecord.java", "Keys.java", "Sequences.java")) {
                    if (!names.contains(wanted)) throw new AssertionError(wanted + " is not among " + names);
                }
            }
            String x = Files.readString(out.resolve("made/tables/JqX.java"));
            for (String part : List.of("JqKind.class", "SQLDataType.NUMERIC(10, 2)", "SQLDataType.CHAR(3)", "SQLDataType.VARCHAR(20)", "SQLDataType.JSONB", "SQLDataType.CLOB.array()", "\"jq_positive\"", "identity(true)")) {
                if (!x.contains(part)) throw new AssertionError(part + " is not in " + x);
            }
        });
    }

    private static void jooq() {
        Checks.check("jOOQ", "jooq", "tables and queries", () -> {
            DSLContext d = using(c, SQLDialect.POSTGRES);
            d.dropTableIfExists("jq_b").execute();
            d.dropTableIfExists("jq_a").execute();
            d.createTableIfNotExists("jq_a").column("id", SQLDataType.INTEGER.identity(true)).column("name", SQLDataType.VARCHAR(20).notNull()).column("j", SQLDataType.JSONB)
                .column("w", SQLDataType.VARCHAR.array()).constraints(primaryKey("id"), unique("name"), constraint("jq_c").check(field("id", Integer.class).gt(0))).execute();
            d.createTable("jq_b").column("a", SQLDataType.INTEGER).column("p", SQLDataType.NUMERIC(10, 2)).constraints(foreignKey("a").references("jq_a", "id").onDeleteCascade()).execute();
            d.createIndexIfNotExists("jq_bi").on("jq_b", "a", "p").execute();
            d.alterTable("jq_b").addColumnIfNotExists("x", SQLDataType.VARCHAR).execute();
            d.commentOnColumn(name("jq_b", "x")).is("it's").execute();
            Table<?> a = table(name("jq_a")), b = table(name("jq_b"));
            Field<Integer> id = field(name("jq_a", "id"), Integer.class), of = field(name("jq_b", "a"), Integer.class);
            Field<String> name = field(name("jq_a", "name"), String.class), plain = field(name("name"), String.class);
            Field<BigDecimal> p = field(name("jq_b", "p"), BigDecimal.class);
            Field<JSONB> j = field(name("jq_a", "j"), JSONB.class);
            Field<String[]> w = field(name("jq_a", "w"), String[].class);
            d.insertInto(a, plain, field(name("j"), JSONB.class), field(name("w"), String[].class)).values("Ann", JSONB.valueOf("{\"x\":1}"), new String[] {"u"}).values("Bob", null, null).returning(id).fetch();
            d.batch(d.insertInto(b, field(name("a"), Integer.class), field(name("p"), BigDecimal.class)).values((Integer) null, null)).bind(1, new BigDecimal("1.5")).bind(1, new BigDecimal("2")).execute();
            d.insertInto(a, plain).values("Ann").onConflict(field(name("name"))).doUpdate().set(plain, excluded(plain)).execute();
            Checks.equal(d.select(name, multiset(select(p).from(b).where(of.eq(id)).orderBy(p)).as("m")).from(a).orderBy(name).fetch().get(0).get("m", Result.class).size(), 2);
            Checks.equal(d.select(name, sum(p).over(partitionBy(of).orderBy(p))).from(a).leftJoin(b).on(of.eq(id)).orderBy(name, p).fetch().size(), 3);
            Checks.equal(d.select(jsonbGetAttributeAsText(j, "x")).from(a).where(w.contains(new String[] {"u"})).fetchOne().value1(), "1");
            Checks.equal(d.select(arrayAgg(name).orderBy(name), jsonbObjectAgg(key(name).value(id)), percentileCont(0.5).withinGroupOrderBy(id)).from(a).fetch().size(), 1);
            d.mergeInto(a).using(values(row("Bob"), row("Cid")).as("s", "n")).on(name.eq(field(name("s", "n"), String.class)))
                .whenMatchedThenUpdate().set(field(name("j"), JSONB.class), JSONB.valueOf("[1]")).whenNotMatchedThenInsert(plain).values(field(name("s", "n"), String.class)).execute();
            d.transaction(t -> {
                t.dsl().selectFrom(a).forUpdate().skipLocked().fetch();
                try {
                    t.dsl().transaction(u -> {
                        u.dsl().deleteFrom(a).execute();
                        throw new IllegalStateException();
                    });
                } catch (IllegalStateException e) {
                    // It was rolled back to its savepoint.
                }
            });
            Checks.equal(d.fetchCount(a), 3);
            d.select(id, count()).from(a).groupBy(rollup(id)).fetch();
            d.truncate(b).restartIdentity().cascade().execute();
            Checks.equal(d.meta().getTables("jq_a").get(0).fields().length, 4);
        });
    }

    private static final CountDownLatch DONE = new CountDownLatch(3);

    public static final class Job implements org.quartz.Job {
        public void execute(org.quartz.JobExecutionContext context) {
            DONE.countDown();
        }
    }

    private static void script(String resource) throws Exception {
        try (InputStream in = Applications.class.getResourceAsStream(resource)) {
            Checks.run(c, new String(in.readAllBytes()));
        }
    }

    private static void schedulers() {
        Checks.check("Quartz", "quartz", "its tables, twice; jobs of a cluster", () -> {
            for (int n = 0; n < 2; n++) script("/org/quartz/impl/jdbcjobstore/tables_postgres.sql");
            Properties p = new Properties();
            String store = "org.quartz.jobStore.", source = "org.quartz.dataSource.d.";
            p.putAll(Map.of("org.quartz.scheduler.instanceName", "x", "org.quartz.scheduler.instanceId", "AUTO", "org.quartz.threadPool.threadCount", "2"));
            p.putAll(Map.of(store + "isClustered", "true", store + "class", "org.quartz.impl.jdbcjobstore.JobStoreTX", store + "driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate", store + "dataSource", "d"));
            p.putAll(Map.of(source + "provider", "hikaricp", source + "driver", "org.postgresql.Driver", source + "URL", Checks.URL, source + "user", Checks.USER, source + "maxConnections", "5"));
            var scheduler = new org.quartz.impl.StdSchedulerFactory(p).getScheduler();
            scheduler.clear();
            scheduler.start();
            scheduler.scheduleJob(org.quartz.JobBuilder.newJob(Job.class).withIdentity("j").usingJobData("a", 1).build(), org.quartz.TriggerBuilder.newTrigger().startNow().build());
            scheduler.scheduleJob(org.quartz.JobBuilder.newJob(Job.class).withIdentity("k").build(), org.quartz.TriggerBuilder.newTrigger().withSchedule(org.quartz.CronScheduleBuilder.cronSchedule("0/1 * * * * ?")).build());
            Checks.equal(DONE.await(20, TimeUnit.SECONDS), true);
            scheduler.shutdown(true);
        });
        Checks.check("db-scheduler", "db-scheduler", "tasks, fetched with locks", () -> {
            Checks.run(c, "drop table if exists scheduled_tasks");
            Checks.run(c, """
                create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea, execution_time timestamp with time zone, picked boolean not null, picked_by text,
                  last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int, last_heartbeat timestamp with time zone, version bigint not null,
                  priority smallint, primary key (task_name, task_instance))""");
            var source = new com.zaxxer.hikari.HikariDataSource();
            source.setJdbcUrl(Checks.URL);
            source.setUsername(Checks.USER);
            CountDownLatch left = new CountDownLatch(3);
            var task = com.github.kagkarlsson.scheduler.task.helper.Tasks.oneTime("t").execute((i, x) -> left.countDown());
            var scheduler = com.github.kagkarlsson.scheduler.Scheduler.create(source, task).pollUsingLockAndFetch(0.5, 1.0).pollingInterval(Duration.ofMillis(200)).threads(3).build();
            scheduler.start();
            for (int n = 0; n < 3; n++) scheduler.schedule(task.instance("" + n), Instant.now());
            Checks.equal(left.await(20, TimeUnit.SECONDS), true);
            scheduler.stop();
            source.close();
        });
    }

    private static void springBatch() {
        Checks.check("Spring Batch", "spring-batch-core", "its tables; a job, twice", () -> {
            script("/org/springframework/batch/core/schema-drop-postgresql.sql");
            script("/org/springframework/batch/core/schema-postgresql.sql");
            var source = new org.springframework.jdbc.datasource.DriverManagerDataSource(Checks.URL, Checks.USER, "");
            var transactions = new org.springframework.jdbc.support.JdbcTransactionManager(source);
            var factory = new org.springframework.batch.core.repository.support.JobRepositoryFactoryBean();
            factory.setDataSource(source);
            factory.setTransactionManager(transactions);
            factory.setDatabaseType("POSTGRES");
            factory.afterPropertiesSet();
            var repository = factory.getObject();
            var step = new org.springframework.batch.core.step.builder.StepBuilder("s", repository).<Integer, Integer>chunk(2, transactions)
                .reader(new org.springframework.batch.item.support.ListItemReader<>(List.of(1, 2, 3))).writer(x -> {}).build();
            var job = new org.springframework.batch.core.job.builder.JobBuilder("j", repository).start(step).build();
            var launcher = new org.springframework.batch.core.launch.support.TaskExecutorJobLauncher();
            launcher.setJobRepository(repository);
            launcher.afterPropertiesSet();
            for (long n = 0; n < 2; n++) {
                var parameters = new org.springframework.batch.core.JobParametersBuilder().addLong("n", n).toJobParameters();
                Checks.equal(launcher.run(job, parameters).getStatus().name(), "COMPLETED");
            }
        });
    }

    private static final String PROCESS = """
        <definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL' xmlns:flowable='http://flowable.org/bpmn' targetNamespace='x'><process id='p'><startEvent id='s'/>
        <sequenceFlow sourceRef='s' targetRef='u'/><userTask id='u' flowable:candidateGroups='g'/><sequenceFlow sourceRef='u' targetRef='e'/><endEvent id='e'/></process></definitions>""";

    private static void flowable() {
        Checks.check("Flowable", "flowable-engine", "its tables; a process", () -> {
            Checks.run(c, "drop schema if exists flow cascade");
            Checks.run(c, "create schema flow");
            var settings = (org.flowable.engine.impl.cfg.ProcessEngineConfigurationImpl) new org.flowable.engine.impl.cfg.StandaloneProcessEngineConfiguration()
                .setJdbcUrl(Checks.URL + "?currentSchema=flow").setJdbcUsername(Checks.USER).setJdbcPassword("").setJdbcDriver("org.postgresql.Driver").setDatabaseSchemaUpdate("true");
            var engine = settings.buildProcessEngine();
            engine.getRepositoryService().createDeployment().addString("p.bpmn20.xml", PROCESS).deploy();
            engine.getRuntimeService().startProcessInstanceByKey("p", "k", new HashMap<>(Map.of("a", 1, "b", "x")));
            var tasks = engine.getTaskService().createTaskQuery().taskCandidateGroup("g").includeProcessVariables().orderByTaskCreateTime().desc().listPage(0, 5);
            Checks.equal(tasks.size(), 1);
            engine.getTaskService().claim(tasks.get(0).getId(), "me");
            engine.getTaskService().complete(tasks.get(0).getId(), Map.of("c", List.of(1)));
            var history = engine.getHistoryService().createHistoricProcessInstanceQuery().finished().variableValueEquals("a", 1).or().processInstanceBusinessKey("k").endOr();
            Checks.equal(history.includeProcessVariables().count(), 1L);
            engine.getRepositoryService().createDeploymentQuery().list().forEach(d -> engine.getRepositoryService().deleteDeployment(d.getId(), true));
            engine.close();
        });
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("org.jooq.no-logo", "true");
        System.setProperty("org.jooq.no-tips", "true");
        c = Checks.open();
        jooqGenerator();
        jooq();
        schedulers();
        springBatch();
        flowable();
        System.exit(0);
    }
}
