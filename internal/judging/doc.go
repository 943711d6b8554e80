// Package judging judges histories that were recorded elsewhere: object by object,
// by the monitors and, where these cannot decide, by porcupine ([Judge]). Of what is
// illegal it finds the shortest part that is illegal by itself, and it draws what
// decides ([Judgement.Draw]). How a judgement is printed is not decided here.
package judging
