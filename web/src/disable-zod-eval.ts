import * as z from "zod";

// The page's policy forbids code made from text, which zod would try otherwise. This comes before any schema is made.
z.config({ jitless: true });
