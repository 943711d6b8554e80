// Package together has the tests of worlds with several stores.
package together
