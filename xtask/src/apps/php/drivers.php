<?php
// PDO (pdo_pgsql) and pgsql: values of all types, prepared statements, transactions, COPY, notices, notifications, cursors, TLS, passwords, a restart.
error_reporting(E_ALL);
set_error_handler(function ($no, $text) { throw new ErrorException($text, 0, $no); });

const SETUP = [
    'drop table if exists apps_php', 'drop domain if exists apps_even cascade', 'drop type if exists apps_mood cascade',
    "create type apps_mood as enum ('sad', 'ok', 'not so good')", 'create domain apps_even as int4 check (value % 2 = 0)',
    'create table apps_php (id bigint generated always as identity primary key, t text, u text unique, b bytea, m apps_mood, n numeric(9,2) check (n > 0))',
];
$at = ['host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'dbname' => getenv('PGDATABASE'), 'user' => getenv('PGUSER')];
$root = getenv('APPS_ROOT_CERT');

function check(string $client, string $name, callable $body): void {
    $version = PHP_VERSION;
    try {
        $body();
        echo "ok\t$client\t$version\t$name\t\n";
    } catch (Throwable $e) {
        $why = str_replace(["\n", "\t"], ' ', $e->getMessage() . ' at line ' . $e->getLine());
        echo "FAILED\t$client\t$version\t$name\t$why\n";
    }
}
function equal($got, $wanted): void {
    if ($got !== $wanted) throw new Exception(json_encode($got) . ' is not ' . json_encode($wanted));
}
function fails(string $code, callable $body): array {
    try { $body(); } catch (PDOException $e) { equal($e->errorInfo[0], $code); return $e->errorInfo; }
    throw new Exception("nothing failed with $code");
}
function parts(array $more = []): string {
    global $at;
    return implode(' ', array_map(fn($k, $v) => "$k='$v'", array_keys($at + $more), array_merge($at, $more)));
}
function pdo(array $more = [], array $options = []): PDO {
    return new PDO('pgsql:' . str_replace(' ', ';', parts($more)), null, null, $options + [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
}
function one(PDO $c, string $sql, array $values = []) {
    $s = $c->prepare($sql);
    $s->execute($values);
    return $s->fetchColumn();
}
$values = [];
foreach (file(getenv('APPS_VALUES'), FILE_IGNORE_NEW_LINES) as $line) {
    if ($line === '' || $line[0] === '#') continue;
    [$type, $value] = explode("\t", $line, 2);
    $values[] = [$type, strtr($value, ['\\n' => "\n", '\\t' => "\t", '\\\\' => '\\'])];
}

$c = pdo();
foreach (SETUP as $sql) $c->exec($sql);
foreach (['prepared by the server' => [], 'prepared by the client' => [PDO::ATTR_EMULATE_PREPARES => true], 'not prepared' => [PDO::PGSQL_ATTR_DISABLE_PREPARES => true]] as $how => $options) {
    check('pdo_pgsql', "types as text, $how", function () use ($values, $options) {
        $c = pdo([], $options);
        $c->exec("set timezone to 'UTC'");
        foreach ($values as [$type, $value]) equal([$type, one($c, "select cast(cast(? as $type) as text)", [$value])], [$type, one($c, 'select cast(' . $c->quote($value) . " as $type)::text")]);
    });
}
check('pdo_pgsql', 'types as values of the language', function () use ($c) {
    $row = $c->query("select 1::int2 a, -5 b, 1099511627776 c, 1.5::float8 d, 12.340 e, true f, false g, null::int h, 'it''s \\ ü' i, 'ok'::apps_mood j")->fetch(PDO::FETCH_ASSOC);
    equal($row, ['a' => 1, 'b' => -5, 'c' => 1099511627776, 'd' => '1.5', 'e' => '12.340', 'f' => true, 'g' => false, 'h' => null, 'i' => 'it\'s \\ ü', 'j' => 'ok']);
    foreach ([[true, PDO::PARAM_BOOL], [false, PDO::PARAM_BOOL], [7, PDO::PARAM_INT], [null, PDO::PARAM_NULL]] as [$value, $type]) {
        $s = $c->prepare('select ?::' . (is_bool($value) ? 'bool' : 'int'));
        $s->bindValue(1, $value, $type);
        $s->execute();
        equal($s->fetchColumn(), $value);
    }
});
check('pdo_pgsql', 'bytes', function () use ($c) {
    $bytes = implode('', array_map('chr', range(0, 255))) . str_repeat("\\'\0", 1 << 16);
    $s = $c->prepare('insert into apps_php (b) values (?) returning id');
    $s->bindParam(1, $bytes, PDO::PARAM_LOB);
    $s->execute();
    $id = $s->fetchColumn();
    equal(stream_get_contents(one($c, 'select b from apps_php where id = ?', [$id])) === $bytes, true);
    equal((int) $c->lastInsertId(), $id);
});
check('pdo_pgsql', 'quoted strings', function () use ($c) {
    foreach (['on', 'off'] as $conforming) {
        $d = pdo();
        $d->exec("set standard_conforming_strings = $conforming");
        $d->exec('set escape_string_warning = off');
        foreach (['\\', "'", "\\'", "a\\nb", "'' or 1=1 --\\", 'ü\\x41', ':a ? ??'] as $text) equal($d->query('select ' . $d->quote($text))->fetchColumn(), $text);
    }
});
check('pdo_pgsql', 'errors with their fields', function () use ($c) {
    equal(fails('23505', fn() => $c->exec("insert into apps_php (u) values ('x'), ('x')"))[2], "ERROR:  duplicate key value violates unique constraint \"apps_php_u_key\"\nDETAIL:  Key (u)=(x) already exists.");
    fails('42601', fn() => $c->query('selec 1'));
    equal(fails('42703', fn() => $c->exec('update apps_php set nothing = 1'))[2], "ERROR:  column \"nothing\" of relation \"apps_php\" does not exist\nLINE 1: update apps_php set nothing = 1\n                            ^");
    fails('22P02', fn() => one($c, 'select ?::int', ['x']));
    fails('23514', fn() => $c->exec('insert into apps_php (n) values (-1)'));
    fails('22012', fn() => $c->query('select 1/0'));
});
check('pdo_pgsql', 'transactions and savepoints', function () use ($c) {
    $c->beginTransaction();
    $c->exec('savepoint a');
    fails('22012', fn() => $c->query('select 1/0'));
    fails('25P02', fn() => $c->query('select 1'));
    $c->exec('rollback to savepoint a');
    $c->exec("insert into apps_php (t) values ('gone')");
    equal($c->inTransaction(), true);
    $c->rollBack();
    equal(one($c, "select count(*) from apps_php where t = 'gone'"), 0);
});
check('pdo_pgsql', 'prepared statements across changes of the table', function () use ($c) {
    $c->exec('drop table if exists apps_php_p');
    $c->exec('create table apps_php_p (a int)');
    $s = $c->prepare('insert into apps_php_p values (:a), (:a + 1)');
    for ($n = 0; $n < 5; $n++) $s->execute(['a' => $n]);
    equal($s->rowCount(), 2);
    $c->exec('alter table apps_php_p add b text default \'x\'');
    $s->execute(['a' => 9]);
    equal(one($c, "select count(*) from apps_php_p where b = 'x'"), 12);
    $c->exec('drop table apps_php_p');
    fails('42P01', fn() => $s->execute(['a' => 1]));
});
check('pdo_pgsql', 'cursors', function () use ($c) {
    $s = $c->prepare('select g from generate_series(1, 5) g', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
    $s->execute();
    equal([$s->fetchColumn(), $s->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_LAST)[0], $s->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_PRIOR)[0]], [1, 5, 4]);
});
check('pdo_pgsql', 'COPY', function () use ($c) {
    $c->exec('create temp table php_copy (a int, b text)');
    $c->pgsqlCopyFromArray('php_copy', ["1\tx\n", "2\t\\N\n", "3\ta\\tb\\\\\n"]);
    equal($c->pgsqlCopyToArray('php_copy'), ["1\tx\n", "2\t\\N\n", "3\ta\\tb\\\\\n"]);
    fails('22P02', fn() => $c->pgsqlCopyFromArray('php_copy', ["x\ty\n"]));
    equal(one($c, 'select count(*) from php_copy'), 3);
});
check('pdo_pgsql', 'columns and their types', function () use ($c) {
    $s = $c->query('select id, t, n, b from apps_php limit 1');
    equal(array_map(fn($n) => $s->getColumnMeta($n)['native_type'], range(0, 3)), ['int8', 'text', 'numeric', 'bytea']);
    equal($s->getColumnMeta(0)['table'], 'apps_php');
});
check('pdo_pgsql', 'rows by their places', function () use ($c) {
    $c->exec('create temp table php_rows as select g as a from generate_series(1, 10) g');
    equal($c->exec('delete from php_rows where ctid in (select ctid from php_rows order by a limit 3)'), 3);
    equal($c->exec('update php_rows set a = 0 where ctid in (select ctid from php_rows order by a desc limit 2)'), 2);
    equal(one($c, 'select sum(a) from php_rows'), 4 + 5 + 6 + 7 + 8);
});
check('pdo_pgsql', 'notifications', function () use ($c) {
    $c->exec('listen apps_php_ch');
    one(pdo(), "select pg_notify('apps_php_ch', 'hello')");
    $n = $c->pgsqlGetNotify(PDO::FETCH_ASSOC, 5000);
    equal([$n['message'], $n['payload']], ['apps_php_ch', 'hello']);
    $c->exec('unlisten *');
});

$p = pg_connect(parts(), PGSQL_CONNECT_FORCE_NEW);
check('pgsql', 'parameters, prepared statements, types of columns', function () use ($p) {
    equal(pg_fetch_row(pg_query_params($p, 'select $1::int + 1, $2::text, $3::bytea', [41, 'it\'s \\', pg_escape_bytea($p, "\0\1")])), ['42', 'it\'s \\', '\x0001']);
    pg_prepare($p, 'q', 'select g, $1::text from generate_series(1, $2::int) g');
    equal(pg_num_rows(pg_execute($p, 'q', ['x', 3])), 3);
    $r = pg_query($p, 'select id, t from apps_php limit 0');
    equal([pg_field_type($r, 0), pg_field_table($r, 1)], ['int8', 'apps_php']);
});
check('pgsql', 'rows as arrays: insert, select, update, delete', function () use ($p) {
    pg_insert($p, 'apps_php', ['t' => 'it\'s \\', 'n' => '1.50', 'u' => null]);
    equal(pg_select($p, 'apps_php', ['t' => 'it\'s \\'])[0]['n'], '1.50');
    equal(pg_update($p, 'apps_php', ['n' => '2'], ['t' => 'it\'s \\']), true);
    equal(pg_delete($p, 'apps_php', ['t' => 'it\'s \\']), true);
    equal(pg_meta_data($p, 'apps_php')['id']['type'], 'int8');
});
check('pgsql', 'COPY', function () use ($p) {
    pg_query($p, 'create temp table php_copy (a int, b text)');
    equal(pg_copy_from($p, 'php_copy', ["1|x\n", "2|null\n"], '|', 'null'), true);
    equal(pg_copy_to($p, 'php_copy', '|', 'null'), ["1|x\n", "2|null\n"]);
});
check('pgsql', 'statements sent without waiting, and a cancel', function () use ($p) {
    pg_send_query($p, 'select 1 as a; select 2 as a');
    equal([pg_fetch_result(pg_get_result($p), 0), pg_fetch_result(pg_get_result($p), 0), pg_get_result($p)], ['1', '2', false]);
    pg_send_query($p, 'select pg_sleep(60)');
    usleep(200000);
    pg_cancel_query($p);
    equal(pg_fetch_result(pg_query($p, 'select 3'), 0), '3');
});
check('pgsql', 'notices and fields of errors', function () use ($p) {
    pg_query($p, 'drop table if exists apps_php_nothing');
    equal(str_contains(pg_last_notice($p), 'does not exist, skipping'), true);
    pg_send_query($p, "insert into apps_php (u) values ('y'), ('y')");
    $r = pg_get_result($p);
    equal([pg_result_error_field($r, PGSQL_DIAG_SQLSTATE), pg_result_error_field($r, PGSQL_DIAG_CONSTRAINT_NAME)], ['23505', 'apps_php_u_key']);
    while (pg_get_result($p));
});
if ($root) {
    check('pdo_pgsql', 'TLS with the server\'s certificate looked at', function () use ($root) {
        $c = pdo(['sslmode' => 'verify-ca', 'sslrootcert' => $root]);
        equal(one($c, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'), true);
    });
    check('pdo_pgsql', 'a password, SCRAM', function () {
        $scram = ['user' => getenv('APPS_USER'), 'password' => getenv('APPS_PASSWORD')];
        equal(one(pdo($scram), 'select current_user'), $scram['user']);
        fails('08006', fn() => pdo(['password' => 'wrong'] + $scram));
    });
}
check('pdo_pgsql', 'a restart of the server', function () use ($c, $root) {
    if ($root) {
        echo "restart\n";
        fgets(STDIN);
        try { $c->query('select 1'); } catch (PDOException) { }
    }
    equal(one(pdo(), 'select 1'), 1);
});
foreach (array_slice(SETUP, 0, 3) as $sql) pdo()->exec($sql);
