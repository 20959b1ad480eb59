// golang-migrate by both of its drivers, and goose: up, up again, a step down, all down.
package main

import (
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/golang-migrate/migrate/v4"
	mpgx "github.com/golang-migrate/migrate/v4/database/pgx/v5"
	mpq "github.com/golang-migrate/migrate/v4/database/postgres"
	"github.com/golang-migrate/migrate/v4/source/iofs"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

func url() string {
	return fmt.Sprintf("postgres://%s@%s:%s/%s?sslmode=disable", user, host, port, database)
}

var migrations = fstest.MapFS{
	"m/1_a.up.sql": {Data: []byte("create table gm_a (id bigserial primary key, t text);\ncreate index on gm_a (t);")}, "m/1_a.down.sql": {Data: []byte("drop table gm_a")},
	"m/2_b.up.sql": {Data: []byte("create type gm_k as enum ('a'); alter table gm_a add k gm_k, add constraint c check (id > 0)")}, "m/2_b.down.sql": {Data: []byte("alter table gm_a drop k, drop constraint c; drop type gm_k")},
	"g/00001_a.sql": {Data: []byte("-- +goose Up\ncreate table go_a (id int);\n-- +goose Down\ndrop table go_a;\n")}, "g/00002_b.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\ncreate index concurrently go_i on go_a (id);\n-- +goose Down\ndrop index go_i;\n")},
}

func withMigrations() {
	for name, open := range map[string]func() *migrate.Migrate{
		"lib/pq": func() *migrate.Migrate {
			return get(migrate.NewWithInstance("fs", get(iofs.New(migrations, "m")), "x", get((&mpq.Postgres{}).Open(url()+"&x-migrations-table=gm1"))))
		},
		"pgx": func() *migrate.Migrate {
			return get(migrate.NewWithInstance("fs", get(iofs.New(migrations, "m")), "x", get((&mpgx.Postgres{}).Open(strings.Replace(url(), "postgres:", "pgx5:", 1)+"&x-migrations-table=gm2&x-multi-statement=true"))))
		}} {
		check("golang-migrate", "github.com/golang-migrate/migrate/v4", name, func() {
			m := open()
			must(m.Up())
			equal(m.Up(), migrate.ErrNoChange)
			must(m.Steps(-1))
			must(m.Migrate(2))
			must(m.Down())
			must(m.Up())
			must(m.Down())
			m.Close()
		})
	}
	check("goose", "github.com/pressly/goose/v3", "up, twice, down", func() {
		db := get(sql.Open("pgx", url()))
		l := get(lock.NewPostgresSessionLocker())
		p := get(goose.NewProvider(goose.DialectPostgres, db, get(fs.Sub(migrations, "g")), goose.WithSessionLocker(l)))
		equal(len(get(p.Up(ctx))), 2)
		equal(len(get(p.Up(ctx))), 0)
		equal(get(p.GetDBVersion(ctx)), int64(2))
		get(p.DownTo(ctx, 0))

		p = get(goose.NewProvider(goose.DialectPostgres, db, get(fs.Sub(migrations, "g")), goose.WithSessionLocker(l)))
		get(p.Up(ctx))
		get(p.DownTo(ctx, 0))
	})
}
