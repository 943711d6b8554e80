package main

import (
	"errors"

	gormmysql "gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/plugin/optimisticlock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/program"
	"github.com/lockpick-dev/lockpick/program/models"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

const noCountLost = "no count is lost"

var optimisticLock = library{
	module: "gorm.io/plugin/optimisticlock",
	program: cell.Program{
		ID: "gorm-optimisticlock", Summary: "the optimistic lock of gorm: a number that two processes count up, in a row with a version", Flawed: true,
		Stores: []stage.Store{mysql.Schema("CREATE TABLE counters (id INT NOT NULL PRIMARY KEY, n INT NOT NULL, version INT NOT NULL)",
			"INSERT INTO counters VALUES (1, 0, 1)")},
		Rules: []program.Rule{program.Linearizable(noCountLost, "counter", models.Counter(0))},
		Main:  countUp,
	},
	expected: violates("gorm-optimisticlock", "A failover may lose what was committed.", slug(noCountLost)),
}

type counter struct {
	ID, N   int64
	Version optimisticlock.Version
}

// countUp counts ten times, and goes on after an error, which leaves open whether it has counted.
func countUp(p *cell.Process) error {
	config := gormmysql.Config{Conn: mysql.Connect(p), SkipInitializeWithVersion: true} // and asks nothing to begin with
	db, err := gorm.Open(gormmysql.New(config), &gorm.Config{Logger: logger.Discard, DisableAutomaticPing: true})
	if err != nil {
		return err
	}
	for range 10 {
		_, _ = p.Do("counter", models.Add{N: 1}, func() (any, error) { return count(db.WithContext(p.Context())) })
		p.Clock().Sleep(p.TTL() / 4)
	}
	return nil
}

// count adds one and returns the sum. It tries again when another was faster.
func count(db *gorm.DB) (any, error) {
	for {
		var c counter
		if err := db.First(&c).Error; err != nil {
			return nil, errors.Join(cell.ErrNoEffect, err)
		}
		sum := c.N + 1
		if done := db.Model(&c).Update("n", sum); done.Error != nil || done.RowsAffected == 1 {
			return sum, done.Error
		}
	}
}
