// pgx: values of all types, batches, pipelines, COPY, cursors, cancel, notifications, TLS, passwords, a restart.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
)

var ctx = context.Background()

func open(s string) *pgx.Conn { return get(pgx.Connect(ctx, s)) }

func one[T any](c *pgx.Conn, sql string, args ...any) (v T) {
	must(c.QueryRow(ctx, sql, args...).Scan(&v))
	return
}

func sameWay[T any](c *pgx.Conn, kind string, v T) {
	equal(one[T](c, "select $1::"+kind, v), v)
	equal(one[*T](c, "select $1::"+kind, nil), (*T)(nil))
}

func withPgx() {
	run := func(name string, body func()) { check("pgx", "github.com/jackc/pgx/v5", name, body) }
	c := open(dsn)
	get(c.Exec(ctx, setup))
	get(c.Exec(ctx, "set timezone to 'UTC'"))
	raw := c.PgConn()
	ask := func(sql string, param []byte, in, out int16) []byte {
		r := raw.ExecParams(ctx, sql, [][]byte{param}, nil, []int16{in}, []int16{out}).Read()
		must(r.Err)
		return r.Rows[0][0]
	}
	run("types as text", func() {
		for _, v := range values {
			equal(v.kind+" "+string(ask("select $1::"+v.kind, []byte(v.text), 0, 0)), v.kind+" "+v.text)
		}
	})
	run("types in binary", func() {
		for _, v := range values {
			binary := ask("select $1::"+v.kind, []byte(v.text), 0, 1)
			equal(v.kind+" "+string(ask("select $1::"+v.kind, binary, 1, 0)), v.kind+" "+v.text)
			equal(ask("select $1::"+v.kind, binary, 1, 1), binary)
		}
	})
	run("nulls", func() {
		for _, kind := range types {
			for format := range int16(2) {
				equal(ask("select $1::"+kind, nil, format, format), []byte(nil))
			}
		}
	})
	modes := []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol}
	run("types as values of the language, in every mode", func() {
		for _, mode := range modes {
			config := get(pgx.ParseConfig(dsn))
			config.DefaultQueryExecMode = mode
			m := get(pgx.ConnectConfig(ctx, config))
			sameWay(m, "bool", true)
			sameWay(m, "int2", int16(-5))
			sameWay(m, "int4", int32(-1<<31))
			sameWay(m, "int8", int64(-1<<63))
			sameWay(m, "float4", float32(0.1))
			sameWay(m, "float8", 5e-324)
			sameWay(m, "text", "it's \\ ü\x01")
			sameWay(m, "bytea", []byte{0, 255})
			sameWay(m, "date", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC))
			sameWay(m, "timestamp", time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC))
			at := time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)
			equal(one[time.Time](m, "select $1::timestamptz", at).Equal(at), true)
			sameWay(m, "uuid", pgtype.UUID{Bytes: [16]byte{1, 2, 15: 3}, Valid: true})
			sameWay(m, "numeric", pgtype.Numeric{Int: big.NewInt(-12345), Exp: -2, Valid: true})
			sameWay(m, "interval", pgtype.Interval{Microseconds: 5, Days: -3, Months: 14, Valid: true})
			sameWay(m, "time", pgtype.Time{Microseconds: 86400000000, Valid: true})
			sameWay(m, "inet", netip.MustParsePrefix("10.1.2.3/8"))
			sameWay(m, "cidr", netip.MustParsePrefix("2001:db8::/32"))
			sameWay(m, "int4[]", []int32{1, -2})
			sameWay(m, "text[]", []string{"a", "b,c", `"`, "NULL", ""})
			if mode != pgx.QueryExecModeExec && mode != pgx.QueryExecModeSimpleProtocol {
				// Elsewhere it does not know what the value is to be.
				equal(one[map[string]any](m, "select $1::jsonb", map[string]any{"a": []any{1.5, nil}}), map[string]any{"a": []any{1.5, nil}})
			}
			equal(one[string](m, "select $1::apps_mood", "not so good"), "not so good")
			equal(one[[]*int64](m, "select '{1,null}'::int8[]")[1], (*int64)(nil))
			must(m.Close(ctx))
		}
	})
	run("types that it loads", func() {
		loaded := get(c.LoadTypes(ctx, []string{"apps_mood", "_apps_mood", "apps_even"}))
		c.TypeMap().RegisterTypes(loaded)
		equal(one[[]string](c, "select $1::apps_mood[]", []string{"ok", "sad"}), []string{"ok", "sad"})
		equal(one[int32](c, "select $1::apps_even", 4), int32(4))
	})
	run("errors with their fields", func() {
		_, err := c.Exec(ctx, "insert into apps_d (u) values ('x'), ('x')")
		fails("23505", err)
		var e *pgconn.PgError
		equal(errors.As(err, &e), true)
		equal([]string{e.Severity, e.SchemaName, e.TableName, e.ConstraintName, e.Detail}, []string{"ERROR", "public", "apps_d", "apps_d_u_key", "Key (u)=(x) already exists."})
		_, err = c.Exec(ctx, "select nothing from apps_d")
		fails("42703", err)
		equal(errors.As(err, &e) && e.Position == 8, true)
		_, err = c.Exec(ctx, "select 1 / $1::int", 0)
		fails("22012", err)
		equal(errors.Is(c.QueryRow(ctx, "select 1 where false").Scan(new(int)), pgx.ErrNoRows), true)
	})
	run("a batch", func() {
		b := &pgx.Batch{}
		for n := range 50 {
			b.Queue("select $1::int", n)
		}
		b.Queue("insert into apps_d (t) values ($1)", "batch")
		r := c.SendBatch(ctx, b)
		for n := range 50 {
			var got int
			must(r.QueryRow().Scan(&got))
			equal(got, n)
		}
		equal(get(r.Exec()).RowsAffected(), int64(1))
		must(r.Close())
		// What comes before an error in a batch is undone with it.
		b = &pgx.Batch{}
		b.Queue("insert into apps_d (t) values ('gone')")
		b.Queue("select 1 / $1::int", 0)
		fails("22012", c.SendBatch(ctx, b).Close())
		equal(one[int](c, "select count(*) from apps_d where t = 'gone'"), 0)
	})
	run("a pipeline with its own syncs", func() {
		p := raw.StartPipeline(ctx)
		p.SendPrepare("pipe", "select $1::int + 1", nil)
		must(p.Sync())
		p.SendQueryPrepared("pipe", [][]byte{[]byte("4")}, nil, nil)
		p.SendQueryParams("select 1/0", nil, nil, nil, nil)
		p.SendQueryPrepared("pipe", [][]byte{[]byte("5")}, nil, nil)
		must(p.Sync())
		p.SendQueryPrepared("pipe", [][]byte{[]byte("6")}, nil, nil)
		must(p.Sync())
		var seen []string
		for len(seen) < 7 {
			r, err := p.GetResults()
			switch r := r.(type) {
			case *pgconn.ResultReader:
				got := r.Read()
				if got.Err != nil {
					seen = append(seen, got.Err.(*pgconn.PgError).Code)
				} else {
					seen = append(seen, string(got.Rows[0][0]))
				}
			case *pgconn.StatementDescription:
				seen = append(seen, "described")
			case *pgconn.PipelineSync:
				seen = append(seen, "sync")
			default:
				if err != nil {
					seen = append(seen, err.(*pgconn.PgError).Code)
				} else {
					panic("the pipeline ended early: " + strings.Join(seen, " "))
				}
			}
		}
		must(p.Close())
		equal(seen, []string{"described", "sync", "5", "22012", "sync", "7", "sync"})
	})
	run("CopyFrom", func() {
		get(c.Exec(ctx, "truncate apps_d"))
		n := get(c.CopyFrom(ctx, pgx.Identifier{"apps_d"}, []string{"t", "m", "j"}, pgx.CopyFromSlice(5000, func(i int) ([]any, error) {
			return []any{fmt.Sprint("row ", i), "ok", map[string]any{"n": i}}, nil
		})))
		equal(n, int64(5000))
		equal(one[int](c, "select sum((j->>'n')::int) from apps_d where m = 'ok'"), 4999*5000/2)
		_, err := c.CopyFrom(ctx, pgx.Identifier{"apps_d"}, []string{"u"}, pgx.CopyFromRows([][]any{{"same"}, {"same"}}))
		fails("23505", err)
	})
	run("COPY as text, csv and binary", func() {
		for _, options := range []string{"", "(format csv, header)", "(format binary)"} {
			var text strings.Builder
			get(raw.CopyTo(ctx, &text, "copy (select t, m, j from apps_d order by id) to stdout "+options))
			get(c.Exec(ctx, "create temp table apps_copy (t text, m apps_mood, j jsonb)"))
			equal(get(raw.CopyFrom(ctx, strings.NewReader(text.String()), "copy apps_copy from stdin "+options)).RowsAffected(), int64(5000))
			equal(one[int](c, "select count(*) from apps_copy join apps_d using (t, m, j)"), 5000)
			get(c.Exec(ctx, "drop table apps_copy"))
		}
	})
	run("COPY in binary of all types", func() {
		for _, v := range values {
			get(raw.Exec(ctx, "create temp table apps_types (v "+v.kind+")").ReadAll())
			r := raw.ExecParams(ctx, "insert into apps_types values ($1), (null)", [][]byte{[]byte(v.text)}, nil, nil, nil).Read()
			must(r.Err)
			var text strings.Builder
			get(raw.CopyTo(ctx, &text, "copy apps_types to stdout (format binary)"))
			get(raw.Exec(ctx, "truncate apps_types").ReadAll())
			get(raw.CopyFrom(ctx, strings.NewReader(text.String()), "copy apps_types from stdin (format binary)"))
			rows := get(raw.Exec(ctx, "select v from apps_types; drop table apps_types").ReadAll())[0].Rows
			equal(v.kind+" "+string(rows[0][0]), v.kind+" "+v.text)
			equal(rows[1][0], []byte(nil))
		}
	})
	run("a cursor", func() {
		tx := get(c.Begin(ctx))
		get(tx.Exec(ctx, "declare cur scroll cursor for select g from generate_series(1, 100) g"))
		fetch := func(how string) []int32 {
			return get(pgx.CollectRows(get(tx.Query(ctx, how, pgx.QueryExecModeExec)), pgx.RowTo[int32]))
		}
		equal(fetch("fetch 3 from cur"), []int32{1, 2, 3})
		equal(fetch("fetch absolute 50 from cur"), []int32{50})
		equal(fetch("fetch backward 2 from cur"), []int32{49, 48})
		must(tx.Rollback(ctx))
	})
	run("transactions and savepoints", func() {
		must(pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
			fails("22012", pgx.BeginFunc(ctx, tx, func(inner pgx.Tx) error {
				get(inner.Exec(ctx, "insert into apps_d (t) values ('gone')"))
				_, err := inner.Exec(ctx, "select 1/0")
				return err
			}))
			var n int
			return tx.QueryRow(ctx, "select count(*) from apps_d where t = 'gone'").Scan(&n)
		}))
		equal(one[int](c, "select count(*) from apps_d where t = 'gone'"), 0)
	})
	run("prepared statements across changes of the table", func() {
		get(c.Exec(ctx, "drop table if exists apps_p; create table apps_p (a int); insert into apps_p values (1)"))
		all := func() ([]map[string]any, error) {
			rows, _ := c.Query(ctx, "select * from apps_p")
			return pgx.CollectRows(rows, pgx.RowToMap)
		}
		equal(get(all()), []map[string]any{{"a": int32(1)}})
		get(c.Exec(ctx, "alter table apps_p add b int default 2"))
		// It forgets what was refused; the next one is good.
		_, err := all()
		fails("0A000", err)
		equal(get(all()), []map[string]any{{"a": int32(1), "b": int32(2)}})
		get(c.Exec(ctx, "drop table apps_p"))
		_, err = all()
		fails("42P01", err)
	})
	run("cancel", func() {
		v := open(dsn)
		go func() {
			time.Sleep(300 * time.Millisecond)
			must(v.PgConn().CancelRequest(ctx))
		}()
		_, err := v.Exec(ctx, "select pg_sleep(60)")
		fails("57014", err)
		equal(one[int](v, "select 1"), 1)
		late, stop := context.WithTimeout(ctx, 300*time.Millisecond)
		defer stop()
		_, err = v.Exec(late, "select pg_sleep(60)")
		equal(errors.Is(err, context.DeadlineExceeded), true)
	})
	run("notifications", func() {
		other := open(dsn)
		get(c.Exec(ctx, "listen apps_ch"))
		get(other.Exec(ctx, "select pg_notify('apps_ch', 'hello')"))
		late, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		n := get(c.WaitForNotification(late))
		equal([]any{n.Channel, n.Payload, n.PID}, []any{"apps_ch", "hello", other.PgConn().PID()})
		must(other.Close(ctx))
	})
	run("a pool", func() {
		p := get(pgxpool.New(ctx, dsn+" pool_max_conns=3"))
		done := make(chan int, 20)
		for n := range 20 {
			go func() {
				var got int
				must(p.QueryRow(ctx, "select $1::int", n).Scan(&got))
				done <- got - n
			}()
		}
		for range 20 {
			equal(<-done, 0)
		}
		p.Close()
	})
	if root == "" {
		return
	}
	run("TLS, verify-full", func() {
		v := open(verified)
		equal(one[bool](v, "select ssl from pg_stat_ssl where pid = pg_backend_pid()"), true)
		must(v.Close(ctx))
		_, err := pgx.Connect(ctx, plain+" sslmode=verify-full")
		equal(err != nil && strings.Contains(err.Error(), "certificate"), true)
		v = open(verified + " sslnegotiation=direct")
		must(v.Close(ctx))
	})
	login := fmt.Sprintf(" user=%s password=%s", scramUser, scramPassword)
	run("a password, SCRAM", func() {
		v := open(dsn + login)
		equal(one[string](v, "select current_user"), scramUser)
		_, err := pgx.Connect(ctx, dsn+login+"x")
		fails("28P01", err)
	})
	run("a password bound to TLS, SCRAM-SHA-256-PLUS", func() {
		v := open(verified + login + " channel_binding=require")
		equal(one[string](v, "select current_user"), scramUser)
	})
	run("a restart of the server", func() {
		p := get(pgxpool.New(ctx, dsn))
		must(p.Ping(ctx))
		restart()
		var err error
		for range 3 {
			if _, err = p.Exec(ctx, "select 1"); err == nil {
				break
			}
		}
		must(err)
		p.Close()
	})
}
