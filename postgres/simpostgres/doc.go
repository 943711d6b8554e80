// Package simpostgres simulates PostgreSQL 15.
package simpostgres
