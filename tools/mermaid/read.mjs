// Reads one flowchart per line of stdin, each a JSON text, with Mermaid's own parser. Prints for each, as a line of
// JSON, its nodes {id: label} and its edges [from, to, label], or the parser's error.
import { createInterface } from "node:readline";
import { JSDOM } from "jsdom";

// Mermaid cleans labels with DOMPurify, which looks for a window when it is loaded.
const { window } = new JSDOM("");
globalThis.window = window;
globalThis.document = window.document;
const { default: mermaid } = await import("mermaid");

// Mermaid keeps `#42;` in this form until it draws.
const shown = (text) => {
  const element = window.document.createElement("p");
  element.innerHTML = (text ?? "").replaceAll("ﬂ°°", "&#").replaceAll("ﬂ°", "&").replaceAll("¶ß", ";");
  return element.textContent;
};

const read = async (text) => {
  await mermaid.parse(text);
  const { db, type } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const nodes = [...db.getVertices().values()].map(({ id, text: label }) => [id, shown(label)]);
  const edges = db.getEdges().map(({ start, end, text: label }) => [start, end, shown(label)]);
  return { type, nodes: Object.fromEntries(nodes), edges };
};

for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  console.log(JSON.stringify(await read(text).catch((error) => ({ error: String(error.message ?? error) }))));
}
