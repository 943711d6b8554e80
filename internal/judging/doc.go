// Package judging judges histories that were recorded elsewhere: object by object,
// by the monitors and, if these cannot decide, by porcupine ([Judge]). It finds the
// shortest illegal part of an illegal history, and draws it ([Judgement.Draw]). It
// does not print.
package judging
