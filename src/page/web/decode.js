// SPDX-License-Identifier: BSD-2-Clause
// Decode the data of the page: base64 of a deflate stream of columns, which the metadata lists. Invalid data cause an
// error message in the page; allocations are limited by the number of bytes present.

const BYTES_MAX = 2 ** 31 - 1;

class BrokenPage extends Error {}

function bytesOfBase64(text) {
  try {
    if (typeof Uint8Array.fromBase64 === "function")
      return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++)
      bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch (error) {
    throw new BrokenPage("its data is not valid base64");
  }
}

function joinChunks(chunks, size) {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

// Decompress at most `size` bytes.
async function inflate(packed, size) {
  if (typeof DecompressionStream !== "function")
    throw new BrokenPage("this browser cannot decompress data (it has no DecompressionStream); browsers since 2023 can");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  const chunks = [];
  let length = 0;
  try {
    for (;;) {
      const {done, value} = await reader.read();
      if (done)
        break;
      chunks.push(value);
      length += value.length;
      if (length > size)
        break;
    }
  } catch (error) {
    throw new BrokenPage("its data cannot be decompressed: the file was truncated or changed");
  }
  if (length !== size) {
    reader.cancel().catch(() => {});
    throw new BrokenPage(`its data are ${length > size ? "longer" : "shorter"} than the ${size} bytes stated`);
  }
  return joinChunks(chunks, size);
}

// Read unsigned LEB128 numbers up to 2^53 - 1. At the end of the bytes the loop ends, because undefined > 127 is false.
function readVarints(bytes, name, out, limit) {
  let at = 0;
  for (let i = 0; i < out.length; i++) {
    let value = bytes[at++];
    if (value > 127) {
      let scale = 128, byte;
      value &= 127;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
    }
    if (!(value <= limit))
      throw new BrokenPage(`column ${name} has a value that is too large`);
    out[i] = value;
  }
  if (at !== bytes.length)
    throw new BrokenPage(`column ${name} does not end where its values do`);
}

// Read zigzag-encoded differences from the previous value.
function readDeltas(bytes, name, out, limit) {
  const zigzag = new Float64Array(out.length);
  let value = 0;
  readVarints(bytes, name, zigzag, Number.MAX_SAFE_INTEGER);
  for (let i = 0; i < out.length; i++) {
    const z = zigzag[i];
    value += z % 2 ? -(z + 1) / 2 : z / 2;
    if (!(value >= 0 && value <= limit))
      throw new BrokenPage(`column ${name} has a value that is out of range`);
    out[i] = value;
  }
}

const UINT32_LIMIT = 2 ** 32 - 1;
const READERS = {varint: readVarints, delta: readDeltas};

// Read a column as an array of `type`.
function readColumn(column, bytes, type) {
  if (column.as === "u8" || column.as === "text" || column.as === "json")
    return bytes;
  const read = READERS[column.as];
  if (!read)
    throw new BrokenPage(`column ${column.name} has an unknown encoding`);
  if (column.count > bytes.length)
    throw new BrokenPage(`column ${column.name} has fewer bytes than values`);
  const out = new type(column.count);
  read(bytes, column.name, out, type === Uint32Array ? UINT32_LIMIT : Number.MAX_SAFE_INTEGER);
  return out;
}

function isSize(value) {
  return Number.isSafeInteger(value) && value >= 0 && value <= BYTES_MAX;
}

function checkColumns(columns) {
  let size = 0;
  if (!Array.isArray(columns))
    throw new BrokenPage("the list of columns is missing");
  for (const column of columns) {
    if (!column || typeof column.name !== "string" || !isSize(column.count) || !isSize(column.bytes))
      throw new BrokenPage("its list of columns is damaged");
    size += column.bytes;
  }
  if (size > BYTES_MAX)
    throw new BrokenPage("its data is larger than 2 GiB");
  return size;
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isRecording(recording) {
  return isRecord(recording) && /^\d{1,20}$/.test(recording.origin === undefined ? "0" : recording.origin);
}

function readMeta(text) {
  let meta;
  try {
    meta = JSON.parse(text);
  } catch (error) {
    throw new BrokenPage("its metadata is not valid JSON");
  }
  if (!meta || meta.format !== 1)
    throw new BrokenPage("its data format does not match its viewer");
  if (!Array.isArray(meta.recordings) || meta.recordings.length < 1 || meta.recordings.length > 2 ||
    !meta.recordings.every(isRecording))
    throw new BrokenPage("the list of recordings is missing or invalid");
  if (!Array.isArray(meta.events) || !meta.events.every(isRecord))
    throw new BrokenPage("it has no events");
  // For a recording without samples, whose name and health are still shown.
  if (!meta.events.length)
    meta.events.push({name: "no event", unit: "events"});
  return meta;
}

// Return {column name: array} of the columns listed in `types`; others are skipped. Yields to the browser in between.
async function readColumns(meta, text, types) {
  const size = checkColumns(meta.columns);
  const bytes = await inflate(bytesOfBase64(text), size);
  const columns = {};
  let at = 0, since = performance.now();
  for (const column of meta.columns) {
    const part = bytes.subarray(at, at + column.bytes);
    at += column.bytes;
    if (types[column.name] && !columns[column.name])
      columns[column.name] = readColumn(column, part, types[column.name]);
    if (performance.now() - since > 40) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      since = performance.now();
    }
  }
  return columns;
}
