// Package certificate has certificates of exhaustive searches, and a verifier that
// searches again without the code of the search.
//
// "simrun check --certificate FILE" says of a lock in a scenario that no schedule with at most K deviations from the
// calm run violates a property. It has not run all of them: schedules that differ only in the order of independent
// events are of one class, and one run stands for its class. The certificate names the lock, the scenario, its
// parameters, the bound, and all classes. [Certificate.Verify] checks it:
//
//   - It makes the calm run and every run with one deviation, none left out, and looks whether its class is among the
//     certificate's and whether it violates a property. It counts these runs and their classes.
//   - It does the same with a sample of the schedules with two deviations and more, which it cannot count.
//
// The verifier enumerates schedules by itself. It does not import package explore, and it shares with the search what
// makes and judges one run: packages sim, cell, checker and the simulated stores. So it finds faults of the search and
// of its reduction, and certificates of another program. It finds no fault of the simulation or the checker.
//
// # What a certificate means
//
// A deviation is a choice that is not the calm run's: which of several events that are due in the same window goes
// first, a segment with all of its link's jitter, or a fault with one of its lengths. Within the bound, and with the
// values that the scenario has for latencies, faults, clients and rounds, no schedule violates a property. Nothing
// follows for more deviations, other values, or other seeds of the processes. A sample of n schedules says that less
// than about 3/n of those like it are missing (the rule of three, at 95 %).
//
// A Certificate must not be changed while it is verified. Verify sets GOMAXPROCS to 1 while
// it works, and one call waits for another, since runs share the process's random sources.
package certificate
