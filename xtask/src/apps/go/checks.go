// What the files beside this share: a check has a name, and passes unless it panics or takes a minute.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

var (
	host, port     = os.Getenv("PGHOST"), os.Getenv("PGPORT")
	user, database = os.Getenv("PGUSER"), os.Getenv("PGDATABASE")
	plain          = fmt.Sprintf("host=%s port=%s user=%s dbname=%s", host, port, user, database)
	dsn            = plain + " sslmode=disable"
	root           = os.Getenv("APPS_ROOT_CERT")
	verified       = plain + " sslmode=verify-full sslrootcert=" + root
	scramUser      = os.Getenv("APPS_USER")
	scramPassword  = os.Getenv("APPS_PASSWORD")
	input          = bufio.NewReader(os.Stdin)
	values         = readValues()
	types          = typesOf()
	space          = regexp.MustCompile(`\s+`)
)

const setup = `
drop table if exists apps_d; drop domain if exists apps_even cascade; drop type if exists apps_mood cascade;
create type apps_mood as enum ('sad', 'ok', 'not so good');
create domain apps_even as int4 check (value % 2 = 0);
create table apps_d (id int generated always as identity primary key, m apps_mood, t text, j jsonb, u text unique)`

type value struct{ kind, text string }

func readValues() (out []value) {
	text, err := os.ReadFile(os.Getenv("APPS_VALUES"))
	must(err)
	for _, line := range strings.Split(string(text), "\n") {
		if kind, v, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			out = append(out, value{kind, strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(v)})
		}
	}
	return
}

func typesOf() (out []string) {
	for _, v := range values {
		if len(out) == 0 || out[len(out)-1] != v.kind {
			out = append(out, v.kind)
		}
	}
	return
}

func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Path == module {
			return strings.TrimPrefix(d.Version, "v")
		}
	}
	return "?"
}

func check(client, module, name string, body func()) {
	done := make(chan string, 1)
	go func() {
		defer func() {
			if e := recover(); e != nil {
				_, file, line := caller()
				done <- fmt.Sprintf("%v (%s:%d)", e, file, line)
			}
		}()
		body()
		done <- ""
	}()
	why := "it took more than a minute"
	select {
	case why = <-done:
	case <-time.After(time.Minute):
	}
	how := "ok"
	if why != "" {
		how = "FAILED"
	}
	if why = space.ReplaceAllString(why, " "); len(why) > 250 {
		why = why[:250]
	}
	fmt.Printf("%s\t%s\t%s\t%s\t%s\n", how, client, version(module), name, why)
}

// Where in a check it panicked.
func caller() (uintptr, string, int) {
	for n := 3; n < 20; n++ {
		if pc, file, line, ok := runtime.Caller(n); ok && strings.Contains(runtime.FuncForPC(pc).Name(), "main.") && !strings.HasSuffix(file, "checks.go") {
			return pc, file[strings.LastIndex(file, "/")+1:], line
		}
	}
	return 0, "", 0
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func get[T any](v T, err error) T {
	must(err)
	return v
}

func equal(got, wanted any) {
	if !reflect.DeepEqual(got, wanted) {
		panic(fmt.Sprintf("%v (%T) is not %v (%T)", got, got, wanted, wanted))
	}
}

// What must fail, and how.
func fails(code string, err error) {
	if err == nil {
		panic("it did not fail with " + code)
	}
	var s interface {
		error
		SQLState() string
	}
	if !errors.As(err, &s) || s.SQLState() != code {
		panic(fmt.Sprintf("%v is not %s", err, code))
	}
}

// Whoever runs the checks restarts the server, and says when it is there again.
func restart() {
	fmt.Println("restart")
	get(input.ReadString('\n'))
}

func main() {
	withPgx()
	withPq()
	withGorm()
	withBun()
	withMigrations()
	withXorm()
	withEnt()
}
