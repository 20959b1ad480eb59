// xorm: Sync, again and with changes, what it reads of tables, versions, soft deletion, a dump.
package main

import (
	"strings"
	"time"

	"xorm.io/xorm"
	"xorm.io/xorm/log"
)

type xormUser struct {
	Id      int64
	Name    string         `xorm:"varchar(25) notnull unique 'usr_name' comment('nick')"`
	Data    map[string]any `xorm:"jsonb"`
	Salt    string         `xorm:"index(s)"`
	Price   float64        `xorm:"decimal(10,2) default 1.5"`
	Created time.Time      `xorm:"created timestampz"`
	Updated time.Time      `xorm:"updated"`
	Deleted time.Time      `xorm:"deleted"`
	Version int            `xorm:"version"`
}
type xormLater struct {
	Id   int64
	Name string `xorm:"varchar(50) notnull unique 'usr_name'"`
	More string `xorm:"text index default 'x'"`
	Salt string
}

func (xormUser) TableName() string  { return "xo_user" }
func (xormLater) TableName() string { return "xo_user" }

func withXorm() {
	e := get(xorm.NewEngine("pgx", url()+"&search_path=xo"))
	get(e.Exec("drop schema if exists xo cascade"))
	get(e.Exec("create schema xo"))
	e.SetSchema("xo")
	e.SetLogLevel(log.LOG_OFF)
	check("xorm", "xorm.io/xorm", "sync, twice, and changed", func() {
		must(e.DropTables(new(xormUser)))
		must(e.Sync(new(xormUser)))
		must(e.Sync(new(xormUser)))
		for _, t := range get(e.DBMetas()) {
			if t.Name != "xo_user" {
				continue
			}
			equal(len(t.Columns()), 9)
			name := t.GetColumn("usr_name")
			equal([]any{name.SQLType.Name, name.Length, name.Nullable, name.Comment}, []any{"VARCHAR", int64(25), false, "nick"})
			id := t.GetColumn("id")
			equal([]any{id.IsPrimaryKey, id.IsAutoIncrement}, []any{true, true})
			equal(len(t.Indexes), 2)
		}
	})
	check("xorm", "xorm.io/xorm", "write and read", func() {
		equal(get(e.Insert(&xormUser{Name: "a", Data: map[string]any{"x": 1}}, &xormUser{Name: "b"})), int64(2))
		var u xormUser
		equal(get(e.Where("usr_name = ?", "a").Get(&u)), true)
		u.Salt = "s"
		equal(get(e.ID(u.Id).Update(&u)), int64(1))
		equal(get(e.ID(u.Id).Delete(new(xormUser))), int64(1))
		equal(get(e.Count(new(xormUser))), int64(1))
		s := e.NewSession()
		must(s.Begin())
		get(s.ForUpdate().Get(&u))
		must(s.Rollback())
		must(e.Sync(new(xormLater)))
		var sb strings.Builder
		must(e.DumpAll(&sb))
		equal(strings.Contains(sb.String(), "xo_user"), true)
	})
}
