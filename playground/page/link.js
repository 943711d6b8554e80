// What is chosen, as the fragment of the page's address. A fragment looks like
// #scenario=gc-pause&lock=setpx&seed=1&runs=300&p.lease=4s&show=no-lost-update~limit

// read is what a fragment says. What it does not say is left out.
export const read = (fragment) => {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const chosen = {parameters: {}};
  for (const [name, value] of words) {
    if (name.startsWith("p.")) chosen.parameters[name.slice(2)] = value;
    else if (["scenario", "lock", "seed", "runs", "show"].includes(name)) chosen[name] = value;
  }
  return chosen;
};

// write is the fragment that says it.
export const write = (chosen) => {
  const words = new URLSearchParams();
  for (const name of ["scenario", "lock", "seed", "runs"]) words.set(name, chosen[name]);
  for (const name of Object.keys(chosen.parameters).sort()) words.set(`p.${name}`, chosen.parameters[name]);
  if (chosen.show) words.set("show", chosen.show);
  return `#${words.toString().replaceAll("%7E", "~")}`;
};
