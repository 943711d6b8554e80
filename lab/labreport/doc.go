// Package labreport has the results of an experiment, and writes them: as text, as JSON, as CSV and as a page with plots.
//
// Figures are medians over seeds with a confidence interval ([Median]), beside published figures and those measured on
// real servers.
package labreport
