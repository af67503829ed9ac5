using System;
using System.Diagnostics;

/// <summary>What a failed Debug.Assert meets, as under .NET: the process ends. Mono alone would go on in silence.</summary>
public sealed class FailListener : TraceListener {
    public override void Fail(string message) { Fail(message, null); }

    public override void Fail(string message, string detail) {
        Console.Out.Flush();
        Console.Error.WriteLine("Process terminated. Assertion failed.");
        if (!string.IsNullOrEmpty(message)) Console.Error.WriteLine(message);
        if (!string.IsNullOrEmpty(detail)) Console.Error.WriteLine(detail);
        Console.Error.WriteLine(new StackTrace(1, true));
        Console.Error.Flush();
        // The exit code of .NET's SIGABRT.
        Environment.Exit(134);
    }

    public override void Write(string message) { Console.Error.Write(message); }

    public override void WriteLine(string message) { Console.Error.WriteLine(message); }
}
