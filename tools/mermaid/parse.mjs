// Reads files with Mermaid's own parser. It fails if one is no sequence diagram, or if none is
// given.
import fs from "node:fs";
import mermaid from "mermaid";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node parse.mjs FILE...");
  process.exit(2);
}
for (const file of files) {
  try {
    const { diagramType } = await mermaid.parse(fs.readFileSync(file, "utf8"));
    if (diagramType !== "sequence") throw new Error(`it is a ${diagramType}`);
  } catch (e) {
    console.error(`${file}: ${e.message}`);
    process.exitCode = 1;
  }
}
console.log(`mermaid ${process.exitCode ? "refuses" : "reads"} ${files.length} diagrams`);
