package main

import (
	"slices"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// riverSchema are river's migrations.
func riverSchema() (list []string) {
	migrator, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		panic(err) // it knows the driver
	}
	for _, m := range slices.SortedFunc(slices.Values(migrator.AllVersions()), func(a, b rivermigrate.Migration) int { return a.Version - b.Version }) {
		list = append(list, m.SQLUp)
	}
	return list
}
