// Package sqllocktest puts locks over MySQL through the same functional tests on a real MariaDB, the sound
// ones of package sqllocks and those of package flawed.
package sqllocktest
