// Package labreport has the results of an experiment, and writes them: as text, as JSON, as
// CSV and as a page with plots.
//
// Figures are medians over seeds with a confidence interval ([Median]); beside them stand
// what was published and what was measured on real servers.
package labreport
