// lib/pq under database/sql: values, errors, COPY, cancel, notifications, TLS, passwords, a restart.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"
)

func withPq() {
	run := func(name string, body func()) { check("lib/pq", "github.com/lib/pq", name, body) }
	for _, binary := range []string{"", " binary_parameters=yes"} {
		db := get(sql.Open("postgres", dsn+binary+" timezone=UTC"))
		if binary == "" {
			get(db.Exec(setup))
		}
		run("types"+map[string]string{"": " as text", " binary_parameters=yes": " in binary"}[binary], func() {
			for _, v := range values {
				if v.kind == "bytea" {
					// A string is its bytes.
					continue
				}
				var got string
				must(db.QueryRow("select $1::"+v.kind+"::text", v.text).Scan(&got))
				var wanted string
				must(db.QueryRow("select '" + replaceQuotes(v.text) + "'::" + v.kind + "::text").Scan(&wanted))
				equal(v.kind+" "+got, v.kind+" "+wanted)
				var null *string
				must(db.QueryRow("select $1::"+v.kind, nil).Scan(&null))
				equal(null, (*string)(nil))
			}
			var b []byte
			must(db.QueryRow("select $1::bytea", []byte{0, 255}).Scan(&b))
			equal(b, []byte{0, 255})
			at := time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)
			var got time.Time
			must(db.QueryRow("select $1::timestamptz", at).Scan(&got))
			equal(got.Equal(at), true)
			var n int64
			var f float64
			var ok bool
			must(db.QueryRow("select $1::int8, $2::float8, $3::bool", int64(-1<<63), 0.1, true).Scan(&n, &f, &ok))
			equal([]any{n, f, ok}, []any{int64(-1 << 63), 0.1, true})
			var words []string
			must(db.QueryRow("select $1::text[]", pq.Array([]string{"a", "b,c", `"`})).Scan(pq.Array(&words)))
			equal(words, []string{"a", "b,c", `"`})
		})
		must(db.Close())
	}
	db := get(sql.Open("postgres", dsn))
	run("errors with their fields", func() {
		_, err := db.Exec("insert into apps_d (u) values ('x'), ('x')")
		fails("23505", err)
		e := err.(*pq.Error)
		equal([]string{e.Schema, e.Table, e.Constraint, e.Detail}, []string{"public", "apps_d", "apps_d_u_key", "Key (u)=(x) already exists."})
		_, err = db.Exec("selec 1")
		fails("42601", err)
	})
	run("transactions and savepoints", func() {
		tx := get(db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead}))
		get(tx.Exec("savepoint a"))
		_, err := tx.Exec("select 1/0")
		fails("22012", err)
		_, err = tx.Exec("select 1")
		fails("25P02", err)
		get(tx.Exec("rollback to a"))
		get(tx.Exec("insert into apps_d (t) values ('gone')"))
		must(tx.Rollback())
		tx = get(db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true}))
		_, err = tx.Exec("insert into apps_d (t) values ('no')")
		fails("25006", err)
		must(tx.Rollback())
	})
	run("prepared statements across changes of the table", func() {
		c := get(db.Conn(context.Background()))
		defer c.Close()
		get(c.ExecContext(ctx, "drop table if exists apps_p"))
		get(c.ExecContext(ctx, "create table apps_p (a int)"))
		get(c.ExecContext(ctx, "insert into apps_p values (1)"))
		s := get(c.PrepareContext(ctx, "select * from apps_p"))
		star := func() error {
			rows, err := s.Query()
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
			}
			return rows.Err()
		}
		must(star())
		get(c.ExecContext(ctx, "create index on apps_p (a)"))
		must(star())
		get(c.ExecContext(ctx, "alter table apps_p add b int"))
		fails("0A000", star())
		get(c.ExecContext(ctx, "drop table apps_p"))
		fails("42P01", star())
	})
	run("COPY", func() {
		tx := get(db.Begin())
		s := get(tx.Prepare(pq.CopyIn("apps_d", "t", "m")))
		for n := range 3000 {
			get(s.Exec(fmt.Sprint("row\t", n), "ok"))
		}
		get(s.Exec())
		must(s.Close())
		var n int
		must(tx.QueryRow("select count(*) from apps_d where t like E'row\\t%' and m = 'ok'").Scan(&n))
		equal(n, 3000)
		must(tx.Rollback())
	})
	run("cancel", func() {
		late, stop := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer stop()
		_, err := db.ExecContext(late, "select pg_sleep(60)")
		equal(err != nil, true)
		get(db.Exec("select 1"))
	})
	listener := pq.NewListener(dsn, 50*time.Millisecond, time.Second, nil)
	must(listener.Listen("apps_ch"))
	run("notifications", func() {
		get(db.Exec("select pg_notify('apps_ch', 'hello')"))
		select {
		case n := <-listener.Notify:
			equal(n.Extra, "hello")
		case <-time.After(10 * time.Second):
			panic("nothing was heard")
		}
	})
	if root == "" {
		return
	}
	run("TLS, verify-full", func() {
		v := get(sql.Open("postgres", verified))
		var ssl bool
		must(v.QueryRow("select ssl from pg_stat_ssl where pid = pg_backend_pid()").Scan(&ssl))
		equal(ssl, true)
		must(v.Close())
	})
	run("a password, SCRAM", func() {
		login := fmt.Sprintf(" user=%s password=%s", scramUser, scramPassword)
		v := get(sql.Open("postgres", dsn+login))
		must(v.Ping())
		v = get(sql.Open("postgres", dsn+login+"x"))
		fails("28P01", v.Ping())
	})
	run("a restart of the server", func() {
		must(db.Ping())
		restart()
		for n := 0; db.Ping() != nil; n++ {
			equal(n < 3, true)
		}
		// It listens again by itself, and says so with nothing.
		for n := range 100 {
			if n == 99 {
				panic("it did not listen again")
			}
			get(db.Exec("select pg_notify('apps_ch', 'again')"))
			select {
			case n := <-listener.Notify:
				if n != nil && n.Extra == "again" {
					return
				}
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
}

func replaceQuotes(s string) (out string) {
	for _, r := range s {
		if r == '\'' {
			out += "'"
		}
		out += string(r)
	}
	return
}
