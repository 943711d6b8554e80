// Package simpgbouncer simulates PgBouncer 1.18.
package simpgbouncer
