// GORM: AutoMigrate, again and with changes, its queries, what it reads of tables.
package main

import (
	"errors"
	"strings"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
)

type gormAuthor struct {
	gorm.Model
	Name  string         `gorm:"size:30;not null;uniqueIndex;comment:the name"`
	Email *string        `gorm:"index:,where:email is not null"`
	Data  map[string]any `gorm:"serializer:json;type:jsonb;default:'{}'"`
	Posts []gormPost     `gorm:"foreignKey:AuthorID;constraint:OnUpdate:CASCADE,OnDelete:CASCADE"`
}

type gormPost struct {
	ID       string  `gorm:"type:uuid;default:gen_random_uuid();primaryKey"`
	AuthorID uint    `gorm:"index:gorm_by,priority:1"`
	Title    string  `gorm:"index:gorm_by,priority:2,sort:desc;check:gorm_titled,title <> ''"`
	Price    float64 `gorm:"type:numeric(10,2);default:1.5"`
	At       time.Time
	Tags     []gormTag `gorm:"many2many:gorm_post_tags"`
}

type gormTag struct {
	Word string `gorm:"primaryKey"`
}

// The author as it is to be later.
type gormAuthorLater struct {
	gormAuthor
	Name string `gorm:"size:60;not null;uniqueIndex:idx_gorm_authors_name;comment:another"`
	More int64  `gorm:"default:5;not null"`
}

func (gormAuthor) TableName() string      { return "gorm_authors" }
func (gormAuthorLater) TableName() string { return "gorm_authors" }
func (gormPost) TableName() string        { return "gorm_posts" }
func (gormTag) TableName() string         { return "gorm_tags" }

func withGorm() {
	run := func(name string, body func()) { check("GORM", "gorm.io/gorm", name, body) }
	db := get(gorm.Open(postgres.Open(dsn), &gorm.Config{Logger: logger.Discard, TranslateError: true}))
	must(db.Migrator().DropTable("gorm_post_tags", &gormPost{}, &gormTag{}, &gormAuthor{}))
	run("AutoMigrate, twice", func() {
		for range 2 {
			must(db.AutoMigrate(&gormAuthor{}, &gormPost{}, &gormTag{}))
		}
	})
	run("write and read", func() {
		ann := gormAuthor{Name: "Ann", Data: map[string]any{"x": []any{1.0}}, Posts: []gormPost{{Title: "a", Tags: []gormTag{{"x"}, {"y"}}}, {Title: "b", Price: 20}}}
		must(db.Create(&ann).Error)
		equal(len(ann.Posts[0].ID), 36)
		var found gormAuthor
		must(db.Preload("Posts", func(d *gorm.DB) *gorm.DB { return d.Order("title") }).Preload("Posts.Tags").Where("data @> ?", `{"x":[1]}`).First(&found).Error)
		equal([]any{found.Posts[0].Price, len(found.Posts[0].Tags), found.Posts[1].Price}, []any{1.5, 2, 20.0})
		must(db.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"email"})}).Create(&gormAuthor{Name: "Ann", Email: new(string)}).Error)
		var n int64
		must(db.Model(&gormAuthor{}).Where("email = ?", "").Count(&n).Error)
		equal(n, int64(1))
		equal(errors.Is(db.Create(&gormAuthor{Name: "Ann"}).Error, gorm.ErrDuplicatedKey), true)
		equal(errors.Is(db.Create(&gormPost{Title: "z", AuthorID: 99}).Error, gorm.ErrForeignKeyViolated), true)
		var sums []struct {
			Name string
			S    float64
		}
		must(db.Model(&gormAuthor{}).Select("name, sum(price) as s").Joins("join gorm_posts p on p.author_id = gorm_authors.id").Group("name").Scan(&sums).Error)
		equal(sums[0].S, 21.5)
		var gone []gormPost
		must(db.Clauses(clause.Returning{}).Where("title = ?", "b").Delete(&gone).Error)
		equal(gone[0].Price, 20.0)
		must(db.Delete(&found).Error)
		must(db.Unscoped().Model(&gormAuthor{}).Count(&n).Error)
		equal(n, int64(1))
		var batch []gormTag
		must(db.FindInBatches(&batch, 1, func(*gorm.DB, int) error { n++; return nil }).Error)
		equal(n, int64(3))
	})
	run("transactions in transactions", func() {
		must(db.Transaction(func(tx *gorm.DB) error {
			equal(tx.Transaction(func(inner *gorm.DB) error {
				must(inner.Create(&gormTag{"gone"}).Error)
				return errors.New("no")
			}) != nil, true)
			var tags []gormTag
			must(tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Find(&tags).Error)
			equal(len(tags), 2)
			return nil
		}))
	})
	run("AutoMigrate to what has changed, twice", func() {
		for range 2 {
			must(db.AutoMigrate(&gormAuthorLater{}))
		}
		var more int64
		must(db.Unscoped().Model(&gormAuthorLater{}).Select("more").Scan(&more).Error)
		equal(more, int64(5))
	})
	run("read back what there is", func() {
		m := db.Migrator()
		var seen []string
		for _, c := range get(m.ColumnTypes(&gormAuthorLater{})) {
			length, _ := c.Length()
			null, _ := c.Nullable()
			comment, _ := c.Comment()
			if c.Name() == "name" {
				equal([]any{length, null, comment, c.DatabaseTypeName()}, []any{int64(60), false, "another", "varchar"})
			}
			if key, _ := c.PrimaryKey(); key {
				seen = append(seen, c.Name())
			}
		}
		equal(seen, []string{"id"})
		equal(m.HasConstraint(&gormPost{}, "gorm_titled"), true)
		equal(m.HasIndex(&gormPost{}, "gorm_by"), true)
		equal(len(get(m.GetIndexes(&gormPost{}))), 1)
		equal(strings.Contains(strings.Join(get(m.GetTables()), " "), "gorm_posts"), true)
		equal(m.CurrentDatabase(), database)
		must(m.RenameColumn(&gormPost{}, "at", "moment"))
		must(m.CreateView("gorm_view", gorm.ViewOption{Query: db.Model(&gormTag{})}))
		must(m.DropView("gorm_view"))
	})
	run("drop", func() {
		must(db.Migrator().DropTable("gorm_post_tags", &gormPost{}, &gormTag{}, &gormAuthor{}))
	})
}
